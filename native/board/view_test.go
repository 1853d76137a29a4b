package board

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestViewIsAQuery(t *testing.T) {
	s := DefaultSchema()
	s.Views = []View{{Name: "mine", Search: "a b", Labels: []string{"x"}, Assignee: "alice", Bot: "shell", Sort: "-updated"}}
	v, err := s.View("mine")
	if err != nil {
		t.Fatal(err)
	}
	want := Query{Search: "a b", Labels: []string{"x"}, Assignee: "alice", Bot: "shell", Sort: "-updated"}
	if d := cmp.Diff(want, v.Query()); d != "" {
		t.Error(d)
	}
	if _, err := s.View("minee"); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), `did you mean "mine"`) {
		t.Errorf("error %v", err)
	}
}

func TestViewsAreCheckedWhenTheBoardIsSet(t *testing.T) {
	for name, v := range map[string]View{
		"a sort key": {Name: "v", Sort: "prority"}, "a group": {Name: "v", GroupBy: "botts"}, "a blank label": {Name: "v", Labels: []string{" "}},
	} {
		next := DefaultSchema()
		next.Views = []View{v}
		if _, err := rules(nil).SetSchema(next, nil); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "view v") {
			t.Errorf("%s: %v", name, err)
		}
	}
	next := DefaultSchema()
	for _, key := range append(GroupKeys(), "") {
		next.Views = append(next.Views, View{Name: "by:" + key, GroupBy: key})
	}
	if _, err := rules(nil).SetSchema(next, nil); err != nil {
		t.Error(err)
	}
}

package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"iterion/native"
	"iterion/native/board"
)

// TestListPrintsFilesAsPrintJSONWould holds the short way of `list --json` to
// the long one.
func TestListPrintsFilesAsPrintJSONWould(t *testing.T) {
	l := native.Layout{Root: filepath.Join(t.TempDir(), native.DirName)}
	if _, err := native.Init(l.Root, board.DefaultSchema(), false); err != nil {
		t.Fatal(err)
	}
	s, err := native.Open(l, native.Options{NoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	expectSameJSON(t, s)
	for _, draft := range []board.Issue{
		{Title: "plain"},
		{Title: `<b> & "quoted" \ ` + "\u2028é漢", Body: "two\nlines\n", Labels: []string{"a", "b"}, BotArgs: map[string]string{"k": "<v>"}},
		{Title: "of a later version", Extra: board.Extra{"new_key": []byte(`{"x":[1,2,{}]}`)}},
	} {
		i, err := s.Create(t.Context(), draft, board.Cause{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Comment(t.Context(), i.ID, "me", "<said> & done", board.Cause{}); err != nil {
			t.Fatal(err)
		}
		expectSameJSON(t, s)
	}
}

func expectSameJSON(t *testing.T, s *native.Store) {
	t.Helper()
	for range 2 { // the second time from the index, if there is one
		list, err := s.List(t.Context(), board.Query{})
		if err != nil {
			t.Fatal(err)
		}
		f, want := testFactory(0)
		if err := f.PrintJSON(nonNil(list.Issues)); err != nil {
			t.Fatal(err)
		}
		g, got := testFactory(0)
		if err := printFiles(t.Context(), g, s, board.Query{}); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestListSaysWhichFilesCannotBeRead(t *testing.T) {
	f, out := testFactory(0)
	b := fakeFiles{broken: []board.UnreadableError{{ID: "native:x", Path: "/p", Err: errors.New("half a card")}}}
	if err := printFiles(t.Context(), f, b, board.Query{}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "half a card") || !strings.HasSuffix(got, "[]\n") {
		t.Errorf("got %q", got)
	}
	b.err = os.ErrPermission
	if err := printFiles(t.Context(), f, b, board.Query{}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

type fakeFiles struct {
	broken []board.UnreadableError
	err    error
}

func (b fakeFiles) ListFiles(context.Context, board.Query, func([]byte) error) ([]board.UnreadableError, error) {
	return b.broken, b.err
}

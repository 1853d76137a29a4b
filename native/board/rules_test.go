package board

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shelf is a board's cards by their ids.
type shelf map[string]Issue

func (s shelf) lookup(id string) (Issue, error) {
	if i, ok := s[id]; ok {
		return i, nil
	}
	return Issue{}, fmt.Errorf("issue %s: %w", id, ErrNotFound)
}

var errDisk = errors.New("disk on fire")

func broken(string) (Issue, error) { return Issue{}, errDisk }

func rules(s shelf) Rules {
	return Rules{Schema: DefaultSchema(), By: Cause{Actor: "alice"}, Now: time.Now(), Lookup: s.lookup}
}

func TestRulesLeaveWhatTheyAreGiven(t *testing.T) {
	now := time.Now()
	i := Issue{
		ID: "native:1", Title: "t", State: StateReady, Labels: []string{"a", "b"}, BotArgs: map[string]string{"k": "v"},
		Fields: map[string]any{}, Blockers: []string{"native:2"}, Runs: []RunRef{{RunID: "r1"}, {RunID: "r2"}}, LastRunID: "r2",
		Comments: []Comment{{ID: "c"}}, Claim: "m", ClaimEpoch: 1, ClaimedAt: now, ClaimLeaseUntil: now,
		GaveUp: &GaveUp{State: StateReady, RunID: "r2"},
	}
	// Room behind a slice is where a careless append would write.
	i.Labels, i.Blockers, i.Runs, i.Comments = slices.Grow(i.Labels, 4), slices.Grow(i.Blockers, 4), slices.Grow(i.Runs, 4), slices.Grow(i.Comments, 4)
	was, f := i.Clone(), i.Fence()
	r := rules(shelf{"native:3": {ID: "native:3"}})
	title := "new"
	for name, verb := range map[string]func() (Change, error){
		"update": func() (Change, error) {
			return r.Update(i, Patch{Title: &title, AddLabels: []string{"c"}, RemoveLabels: []string{"a"}, SetBotArgs: map[string]string{"k": "w"}, AddBlockers: []string{"native:3"}})
		},
		"move":         func() (Change, error) { return r.Move(i, StateDone) },
		"comment":      func() (Change, error) { return r.Comment(i, "c2", "a", "b") },
		"claim":        func() (Change, error) { return r.Claim(i, "m", time.Hour) },
		"release":      func() (Change, error) { return r.Release(i, f) },
		"set last run": func() (Change, error) { return r.SetLastRun(i, f, RunRef{RunID: "r1"}) },
		"set gave up":  func() (Change, error) { return r.SetGaveUp(i, f, GaveUp{RunID: "r2"}) },
		"delete":       func() (Change, error) { return r.Delete(i, true) },
		"refuse":       func() (Change, error) { return r.SetLaunchRefusal(i, f, LaunchRefusal{Attempts: 1}) },
		"relabel": func() (Change, error) {
			c, err := r.Relabel([]Issue{i}, RenameLabel("a", "z"))
			return c[0], err
		},
		"move all": func() (Change, error) {
			r := r
			r.Lookup = shelf{i.ID: i}.lookup
			_, c, err := r.MoveAll([]string{i.ID}, StateReview, nil)
			return c[0], err
		},
		"import": func() (Change, error) {
			rec := i.Clone()
			rec.Labels, rec.Comments = []string{"q"}, []Comment{{ID: "c9"}}
			c, _, err := r.Import(&i, Record{Issue: rec})
			return c, err
		},
		"foreign import": func() (Change, error) {
			rec := Issue{ID: i.ID, Title: "t", Labels: []string{"q"}, Blockers: []string{"native:3"}, Comments: []Comment{{ID: "c9"}}, Fields: map[string]any{"note": "x"}}
			r := r
			r.Schema.Fields = []Field{{Name: "note", Type: FieldText}}
			c, _, err := r.Import(&i, Record{Issue: rec, Foreign: true})
			return c, err
		},
	} {
		c, err := verb()
		if err != nil || !c.Write {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if d := cmp.Diff(was, i); d != "" {
			t.Fatalf("%s changed its input:\n%s", name, d)
		}
		if !slices.Equal(i.Labels[:cap(i.Labels)][2:4], []string{"", ""}) || i.Runs[:cap(i.Runs)][2].RunID != "" {
			t.Fatalf("%s wrote behind its input", name)
		}
	}
}

func TestInstantsAreUTCWithoutAMonotonicReading(t *testing.T) {
	r := rules(nil)
	r.Now = time.Now().In(time.FixedZone("x", 3600))
	c := must(r.Create(Issue{ID: "native:1", Title: "t"}))
	if got := c.Issue.CreatedAt; got != r.Now.Round(0).UTC() || c.Event.Timestamp != got {
		t.Errorf("created %s, told %s", got, c.Event.Timestamp)
	}
}

func TestCardWithoutItsEpochRefusesEveryHolder(t *testing.T) {
	r, i := rules(nil), Issue{ID: "native:1", State: StateReady, Claim: "m"}
	for _, f := range []Fence{i.Fence(), {Marker: "m", Epoch: 1}, {}} {
		if _, err := r.Release(i, f); !errors.Is(err, ErrConflict) {
			t.Errorf("release by %+v: %v", f, err)
		}
	}
	if _, err := r.Claim(i, "m", time.Hour); !errors.Is(err, ErrConflict) {
		t.Errorf("claim by its holder: %v", err)
	}
	if c, err := r.ForceRelease(i); err != nil || c.Issue.Claim != "" {
		t.Errorf("force release: %v", err)
	}
}

func TestClosesIsTrueOnlyOfWhatComesToDone(t *testing.T) {
	r, i := rules(nil), Issue{ID: "native:1", State: StateReady}
	if !must(r.Move(i, StateDone)).Closes() {
		t.Error("a move to done does not close")
	}
	made := func(state string) Change { return must(r.Create(Issue{ID: "native:2", Title: "x", State: state})) }
	if !made(StateDone).Closes() {
		t.Error("a card that is made in done does not close")
	}
	done := must(r.Move(i, StateDone)).Issue
	for _, c := range []Change{made(StateBlocked), must(r.Move(i, StateBlocked)), must(r.Move(done, StateDone)), must(r.Comment(done, "c", "a", "b"))} {
		if c.Closes() {
			t.Errorf("%+v closes", c.Event)
		}
	}
}

func TestUnreadableBlockerIsNeitherAbsentNorSatisfied(t *testing.T) {
	r := rules(nil)
	r.Lookup = broken
	i := Issue{ID: "native:1", Title: "t", State: StateWaitingDeps, Blockers: []string{"native:2", "native:3"}}
	if _, err := r.Update(i, Patch{AddBlockers: []string{"native:4"}}); !errors.Is(err, errDisk) || errors.Is(err, ErrInvalid) {
		t.Errorf("add: %v", err)
	}
	if got := r.Unblock(Issue{ID: "native:2", State: StateDone}, []Issue{i}); len(got) > 0 {
		t.Errorf("unblocked %+v", got)
	}
	if open := OpenBlockers(i, broken); len(open) != 2 {
		t.Errorf("open %v", open)
	}
}

func TestCycleIsFoundBeyondDiamondsAndGaps(t *testing.T) {
	s := shelf{
		"a": {ID: "a"},
		"b": {ID: "b", Blockers: []string{"gone", "a"}}, "c": {ID: "c", Blockers: []string{"a"}},
		"d": {ID: "d", Blockers: []string{"b", "c"}},
	}
	r := rules(s)
	if _, err := r.Update(s["a"], Patch{AddBlockers: []string{"d"}}); !errors.Is(err, ErrCycle) || !strings.Contains(err.Error(), "a -> d -> b -> a") {
		t.Errorf("error %v", err)
	}
	if _, err := r.Update(s["a"], Patch{AddBlockers: []string{"a"}}); !errors.Is(err, ErrCycle) || !strings.Contains(err.Error(), "a -> a") {
		t.Errorf("error %v", err)
	}
	s["e"] = Issue{ID: "e"}
	if _, err := r.Update(s["e"], Patch{AddBlockers: []string{"d", "a"}}); err != nil {
		t.Error(err)
	}
}

func TestForeignCycleDoesNotTrapTheSearch(t *testing.T) {
	s := shelf{"a": {ID: "a", Blockers: []string{"b"}}, "b": {ID: "b", Blockers: []string{"a"}}, "c": {ID: "c", Title: "t"}}
	if _, err := rules(s).Update(s["c"], Patch{AddBlockers: []string{"a"}}); err != nil {
		t.Error(err)
	}
}

func TestParentsFormNoCycle(t *testing.T) {
	s := shelf{"a": {ID: "a", Title: "t"}, "b": {ID: "b", ParentID: "a"}, "c": {ID: "c", ParentID: "b"}}
	parent := "c"
	if _, err := rules(s).Update(s["a"], Patch{ParentID: &parent}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "a -> c -> b -> a") {
		t.Errorf("error %v", err)
	}
}

func TestUnblockGoesWhereTheBoardHasAColumn(t *testing.T) {
	for names, want := range map[string]string{
		"backlog ready waiting_deps done": StateReady,
		"backlog waiting_deps done":       StateBacklog,
		"ready waiting_deps done":         StateReady,
		"waiting_deps done":               "",
	} {
		r := rules(nil)
		r.Schema = columns(names)
		d := Issue{ID: "d", State: StateWaitingDeps, Blockers: []string{"a"}, BotArgs: map[string]string{ArgAutoReady: "YES"}}
		got := ""
		for _, c := range r.Unblock(Issue{ID: "a", State: StateDone}, []Issue{d}) {
			got = c.Issue.State
		}
		if got != want {
			t.Errorf("%s: to %q, want %q", names, got, want)
		}
	}
}

func TestRequiredFieldHindersOnlyWritesOfFields(t *testing.T) {
	r, title := rules(nil), "new"
	r.Schema.Fields = []Field{{Name: "due", Type: FieldDate, Required: true}, {Name: "note", Type: FieldText}}
	i := Issue{ID: "native:1", Title: "older than the field", State: StateReady}
	if _, err := r.Update(i, Patch{Title: &title}); err != nil {
		t.Error(err)
	}
	if _, err := r.Update(i, Patch{SetFields: map[string]string{"note": "x"}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("error %v", err)
	}
}

func TestExpiredStampIsNotShown(t *testing.T) {
	g := &GaveUp{State: StateReady, RunID: "r"}
	for _, c := range []struct {
		i    Issue
		want bool
	}{
		{Issue{State: StateReady, LastRunID: "r", GaveUp: g}, true},
		{Issue{State: StateReview, LastRunID: "r", GaveUp: g}, false},
		{Issue{State: StateReady, LastRunID: "r2", GaveUp: g}, false},
		{Issue{State: StateReady, GaveUp: &GaveUp{State: StateReady, Launch: true, RunID: "x"}}, true},
		{Issue{State: StateReady}, false},
	} {
		if got := c.i.GivenUp() != nil; got != c.want {
			t.Errorf("%+v: %v", c.i, got)
		}
	}
}

func TestTextThatIsNotUTF8IsMadeSo(t *testing.T) {
	c := must(rules(nil).Create(Issue{ID: "native:1", Title: "a\xffb", Body: "\xfe", Labels: []string{"\xfd"}}))
	if c.Issue.Title != "a\uFFFDb" || c.Issue.Body != "\uFFFD" || c.Issue.Labels[0] != "\uFFFD" {
		t.Errorf("%+v", c.Issue)
	}
}

func TestSlugs(t *testing.T) {
	for slug, ok := range map[string]bool{"a": true, "feature-dev": true, "b_2": true, "": false, "-a": false, "2a": false, "A": false, "a b": false, "a/b": false, "é": false} {
		if err := CheckBot(slug); (err == nil) != ok {
			t.Errorf("%q: %v", slug, err)
		}
	}
}

func TestDispatchOrderIsPriorityThenAgeThenID(t *testing.T) {
	at := time.Now()
	want := []Issue{
		{ID: "z", Priority: 2, CreatedAt: at.Add(time.Hour)},
		{ID: "y", Priority: 1, CreatedAt: at},
		{ID: "a", Priority: 1, CreatedAt: at.Add(time.Second)},
		{ID: "b", Priority: 1, CreatedAt: at.Add(time.Second)},
		{ID: "x", Priority: -1},
	}
	got := []Issue{want[3], want[4], want[0], want[2], want[1]}
	slices.SortFunc(got, func(a, b Issue) int { return DispatchOrder(&a, &b) })
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

package trigger_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"iterion/sched/trigger"
)

func (s *shelf) file() trigger.File { return trigger.File{Options: s.Options, NoFsync: true} }

func (s *shelf) text() string {
	s.Helper()
	return string(ok(os.ReadFile(s.Path))(s))
}

func (s *shelf) reads(want string) {
	s.Helper()
	if diff := cmp.Diff(want, s.text()); diff != "" {
		s.Error(diff)
	}
}

// byHand is a file as people write it.
const byHand = `# what runs by itself
version: 1

triggers:
  # every night
  - id: nightly      # do not rename
    bot_id: lint
    cron: "30 3 * * *"   # before the backup

    vars:
      note: |
        # no comment
        two lines

  # on a move
  - {id: on-ready, bot_id: lint, match: {kinds: [card.moved]}, x-mine: [1, 2]}

  - id: last
    bot_id: lint
    cron: '@daily'
# the end

spare:
  of: somebody
`

func mine(id string) trigger.Subscription {
	s, _ := trigger.New("lint", trigger.OnBoard)
	s.ID, s.Mode = id, trigger.Direct
	s.Match.Kinds = []string{trigger.CardMoved}
	s.Match.States = []string{"ready"}
	return s
}

func TestAnEditTouchesItsOwnRowAlone(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(f trigger.File) error
		want string
	}{
		{"a new row", func(f trigger.File) error { _, err := f.Add(t.Context(), mine("new")); return err },
			strings.Replace(byHand, "# the end\n", `  - id: new
    bot_id: lint
    invocation: board
    mode: direct
    match:
      kinds: [card.moved]
      states: [ready]
    enabled: true
# the end
`, 1)},
		{"a key of a row in lines", func(f trigger.File) error {
			_, err := f.Edit(t.Context(), "last", trigger.Setting{"cron", "@hourly"}, trigger.Setting{"enabled", false})
			return err
		}, strings.Replace(byHand, "    cron: '@daily'\n", "    cron: '@hourly'\n    enabled: false\n", 1)},
		{"a key in the middle of comments", func(f trigger.File) error {
			_, err := f.Edit(t.Context(), "nightly", trigger.Setting{"cron", "0 4 * * *"})
			return err
		}, strings.NewReplacer(`"30 3 * * *"   #`, `"0 4 * * *" #`, "nightly      #", "nightly #", "backup\n\n", "backup\n").Replace(byHand)},
		{"a key of a row in one line", func(f trigger.File) error {
			_, err := f.Edit(t.Context(), "on-ready", trigger.Setting{"match.states", []string{"ready"}}, trigger.Setting{"enabled", false})
			return err
		}, strings.Replace(byHand, "{id: on-ready, bot_id: lint, match: {kinds: [card.moved]}, x-mine: [1, 2]}", "{id: on-ready, bot_id: lint, match: {kinds: [card.moved], states: [ready]}, x-mine: [1, 2], enabled: false}", 1)},
		{"a row taken out with what is said above it", func(f trigger.File) error { return f.Remove(t.Context(), "on-ready") },
			strings.Replace(byHand, "  # on a move\n  - {id: on-ready, bot_id: lint, match: {kinds: [card.moved]}, x-mine: [1, 2]}\n", "", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShelf(t, byHand)
			if err := c.edit(s.file()); err != nil {
				t.Fatal(err)
			}
			s.reads(c.want)
			s.load()
		})
	}
}

func TestTheFirstRowOfAFile(t *testing.T) {
	const row = "  - id: a\n    bot_id: lint\n    invocation: schedule\n    cron: \"0 1 * * *\"\n    enabled: true\n    created_by: ana\n"
	for _, c := range []struct{ name, was, want string }{
		{"no file", "", "# Subscriptions of this store, see `iterion trigger --help`.\nversion: 1\ntriggers:\n" + row},
		{"comments alone", "# hm", "# hm\nversion: 1\ntriggers:\n" + row},
		{"an empty list", "version: 1\ntriggers: []\nx: 1\n", "version: 1\ntriggers:\n" + row + "x: 1\n"},
		{"no list", "x: 1\n", "x: 1\ntriggers:\n" + row},
		{"a list of null", "triggers:\nx: 1\n", "triggers:\n" + row + "x: 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShelf(t, c.was)
			sub, _ := trigger.New("lint", trigger.OnSchedule)
			sub.ID, sub.Cron, sub.CreatedBy = "a", "0 1 * * *", "ana"
			got := ok(s.file().Add(t.Context(), sub))(t)
			if got.ID != "a" || !got.Active() {
				t.Errorf("%+v", got)
			}
			s.reads(c.want)
		})
	}
}

func TestADerivedSubscriptionIsRetunedByARowOfItsOwn(t *testing.T) {
	s := newShelf(t, "", bundle(t, "b", "  - {kind: schedule, schedule: {suggested_cron: '@daily'}}\n"))
	f, id := s.file(), "manifest:b:schedule:1"
	got := ok(f.Edit(t.Context(), id, trigger.Setting{"enabled", false}))(t)
	if got.Active() || got.Cron != "@daily" {
		t.Errorf("%+v", got)
	}
	if !strings.HasSuffix(s.text(), "triggers:\n  - id: manifest:b:schedule:1\n    enabled: false\n") {
		t.Error(s.text())
	}
	if _, err := f.Add(t.Context(), trigger.Subscription{ID: id}); !errors.Is(err, trigger.ErrExists) {
		t.Errorf("add over it: %v", err)
	}
	ok(f.Edit(t.Context(), id, trigger.Setting{"enabled", nil}, trigger.Setting{"cron", "@hourly"}))(t)
	if got := ok(s.load().Get(id))(t); !got.Active() || got.Cron != "@hourly" {
		t.Errorf("%+v", got)
	}
	if err := f.Remove(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := ok(s.load().Get(id))(t); got.Cron != "@daily" || got.Retuned {
		t.Errorf("%+v", got)
	}
	if err := f.Remove(t.Context(), id); !errors.Is(err, trigger.ErrDerived) {
		t.Errorf("remove what has no row: %v", err)
	}
}

func TestARefusedEditChangesNothing(t *testing.T) {
	s := newShelf(t, byHand)
	f := s.file()
	bad := mine("bad")
	bad.BotID = "No Bot"
	for _, c := range []struct {
		name string
		err  error
		want error
	}{
		{"add what is there", second(f.Add(t.Context(), mine("last"))), trigger.ErrExists},
		{"add what is not valid", second(f.Add(t.Context(), bad)), trigger.ErrInvalid},
		{"edit to what is not valid", second(f.Edit(t.Context(), "last", trigger.Setting{"cron", "nonsense"})), trigger.ErrInvalid},
		{"edit what is not there", second(f.Edit(t.Context(), "nobody", trigger.Setting{"cron", "@daily"})), trigger.ErrNoSubscription},
		{"remove what is not there", f.Remove(t.Context(), "nobody"), trigger.ErrNoSubscription},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: got %v", c.name, c.err)
		}
	}
	s.reads(byHand)
	s.write("triggers: [")
	if _, err := f.Add(t.Context(), mine("a")); !errors.Is(err, trigger.ErrInvalid) {
		t.Errorf("of a broken file: %v", err)
	}
	s.reads("triggers: [")
}

func TestWhatAnEditorSavesMeanwhileIsNotWrittenOver(t *testing.T) {
	s := newShelf(t, byHand)
	f := s.file()
	bundles := f.Bundles
	saved := false
	f.Bundles = func() []trigger.Bundle { // asked after the file was read
		if !saved {
			saved = true
			s.write(byHand + "# saved\n")
		}
		return bundles()
	}
	if _, err := f.Add(t.Context(), mine("new")); !errors.Is(err, trigger.ErrChanged) {
		t.Errorf("got %v", err)
	}
	s.reads(byHand + "# saved\n")
}

func second[T any](_ T, err error) error { return err }

func TestWhatWasAddedReadsBackAsItWas(t *testing.T) {
	hour := trigger.Duration(90 * time.Minute)
	full := trigger.Subscription{
		ID: "full", TenantID: "t", BotID: "lint", Invocation: trigger.OnSchedule, Mode: trigger.Direct, Cron: "*/5 * * * *", TZ: "UTC",
		CatchUp: &hour, Vars: map[string]string{"yes": "yes", "n": "007", "text": "two\nlines: #1\n", "empty": ""}, ArgsVar: "p", Workdir: "/tmp/a b",
		Overlap: "allow", MaxConcurrent: 3, Guard: "test -f 'x' # y", GuardTimeout: hour, GuardVar: "g",
		RetryUsageWindow: "fresh", RetryMaxAttempts: 2, RetryMaxWait: hour, RetryJitter: trigger.Duration(time.Second),
		Enabled: true, Origin: trigger.FromOperator, CreatedBy: "ana", CreatedAt: now, UpdatedAt: now,
	}
	board := mine("board")
	board.Mode, board.Repo, board.ConsumeLabels, board.Origin, board.Enabled = trigger.Promote, "o/r", true, trigger.FromOperator, false
	board.Match = trigger.Match{
		Sources: []string{"board"}, Kinds: []string{"card.labeled"}, Actions: []string{"labeled"}, Repos: []string{"O/R"},
		Authors: []string{"*"}, States: []string{"in, out"}, AllLabels: []string{"triage:auto", "yes", "#1"},
	}
	s := newShelf(t, byHand)
	for _, sub := range []trigger.Subscription{full, board} {
		got := ok(s.file().Add(t.Context(), sub))(t)
		if diff := cmp.Diff(sub, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestI4_ParallelEditsAllSurvive(t *testing.T) {
	s := newShelf(t, byHand)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			f := s.file()
			for m := range 3 {
				if _, err := f.Add(t.Context(), mine(fmt.Sprintf("n%d-%d", n, m))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(s.load().All()); n != 27 {
		t.Errorf("%d subscriptions, want 27", n)
	}
	if left := ok(filepath.Glob(filepath.Join(filepath.Dir(s.Path), ".tmp-*")))(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAFileOfAnotherStyleIsWrittenFromItsTree(t *testing.T) {
	s := newShelf(t, "# mine\n{version: 1, triggers: [{id: a, bot_id: b, cron: '@daily'}]}\n")
	ok(s.file().Add(t.Context(), mine("new")))(t)
	ok(s.file().Edit(t.Context(), "a", trigger.Setting{"cron", "@hourly"}))(t)
	got := s.load()
	if want := []string{"a schedule on @hourly", "new board on card.moved"}; !slices.Equal(lines(got), want) || !strings.Contains(s.text(), "# mine") {
		t.Errorf("%v\n%s", lines(got), s.text())
	}
}

func TestALinkedFileStaysALink(t *testing.T) {
	s := newShelf(t, "")
	real := filepath.Join(t.TempDir(), "real.yaml")
	if err := errors.Join(os.WriteFile(real, []byte(byHand), 0o600), os.Symlink(real, s.Path)); err != nil {
		t.Fatal(err)
	}
	ok(s.file().Add(t.Context(), mine("new")))(t)
	if st := ok(os.Lstat(s.Path))(t); st.Mode()&os.ModeSymlink == 0 || !strings.Contains(s.text(), "id: new") {
		t.Error("the link was replaced")
	}
}

// Whatever a file looks like, an edit leaves it readable, does what was asked and
// changes no other row.
func FuzzAnEditKeepsTheOtherRows(f *testing.F) {
	for _, seed := range []string{byHand, "", "triggers: []\n", "triggers:\n- id: a\n  bot_id: b\n- id: c\n", "triggers:\n  -   id: a\n      bot_id: b\n", "{triggers: [{id: a}]}",
		"triggers:\n- &x {id: a, bot_id: b}\n- {id: c, vars: *x}\n", "triggers:\n- id: a\n  guard: |\n   x\n\n   # y\n\n# z\n", "---\ntriggers:\n  - id: a\n...\n", "triggers:\n- &a [*a]\n- &b {id: x, match: *b, vars: *b, enabled: *b}\n", "triggers: &l\n- {id: a, bot_id: b, match: {kinds: *l}}\n",
		"triggers:\n- {? [a] : b, id: a}\n- {<<: {id: a}, bot_id: b}\n- {id: [a]}\n- ~\n- !!binary aGk=\n", "triggers:\r\n  - id: a\r\n    bot_id: b\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := newShelf(t, text)
		was, err := trigger.Load(s.Options)
		if err != nil {
			return
		}
		if _, err := was.Get("new"); err == nil {
			return
		}
		file := s.file()
		var broken *trigger.FileError // comments alone, with bytes that YAML does not take
		if _, err := file.Add(t.Context(), mine("new")); errors.Is(err, trigger.ErrExists) || errors.As(err, &broken) {
			return
		} else if err != nil {
			t.Fatalf("add to %q: %v", text, err)
		}
		ok(file.Edit(t.Context(), "new", trigger.Setting{"args_var", "p"}))(t)
		is := s.load()
		got := ok(is.Get("new"))(t)
		if got.ArgsVar != "p" {
			t.Errorf("the edit is lost: %+v", got)
		}
		if diff := cmp.Diff(was.All(), is.All()[:len(is.All())-1], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("other rows changed in %q to %q: %s", text, s.text(), diff)
		}
		if err := file.Remove(t.Context(), "new"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(was.All(), s.load().All(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("removal changed other rows of %q: %s", text, diff)
		}
	})
}

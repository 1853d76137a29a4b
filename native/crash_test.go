package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"iterion/native/board"
	"iterion/native/filelock"
	"iterion/native/jsonl"
)

// died is what a test's crash hook panics with.
type died struct{ step string }

// crashAt lets the store die at the n-th step of its writes, as kill -9 would
// let it: the locks go, nothing is tidied up.
func crashAt(s *Store, n int) {
	s.crash = func(step string) {
		if n--; n == 0 {
			panic(died{step})
		}
	}
}

// dies runs verb and returns the step it died at, or "".
func dies(t *testing.T, verb func() error) (step string) {
	t.Helper()
	defer func() {
		if d, ok := recover().(died); ok {
			step = d.step
		}
	}()
	if err := verb(); err != nil {
		t.Fatal(err)
	}
	return ""
}

// scene is a small board to do something to.
type scene struct {
	s              *Store
	card, dependee board.Issue
}

func newScene(t *testing.T) scene {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	sc := scene{s: s, card: mustCreate(t, s, "a card", ""), dependee: mustCreate(t, s, "a blocker", board.StateReview)}
	for range 3 {
		dependent := board.Issue{Title: "a dependent", State: board.StateWaitingDeps, Blockers: []string{sc.dependee.ID}, Labels: []string{"x"}}
		if _, err := s.Create(t.Context(), dependent, board.Cause{}); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

func verbs(t *testing.T) map[string]func(scene) error {
	ctx, by := t.Context(), board.Cause{Actor: "alice"}
	return map[string]func(scene) error{
		"create": func(sc scene) error {
			_, err := sc.s.Create(ctx, board.Issue{Title: "new"}, by)
			return err
		},
		"move": func(sc scene) error {
			_, err := sc.s.Move(ctx, sc.card.ID, board.StateReady, by)
			return err
		},
		"claim": func(sc scene) error {
			_, err := sc.s.Claim(ctx, sc.card.ID, "m", 1e9, by)
			return err
		},
		"delete": func(sc scene) error { return sc.s.Delete(ctx, sc.card.ID, false, by) },
		"unblock": func(sc scene) error {
			_, err := sc.s.Move(ctx, sc.dependee.ID, board.StateDone, by)
			return err
		},
		"move all": func(sc scene) error {
			_, err := sc.s.MoveAll(ctx, []string{sc.dependee.ID, sc.card.ID}, board.StateDone, by)
			return err
		},
		"rename label": func(sc scene) error {
			_, err := sc.s.Relabel(ctx, board.RenameLabel("x", "y"), by)
			return err
		},
		"import": func(sc scene) error {
			i := sc.dependee
			i.State, i.Title = board.StateDone, "elsewhere"
			_, _, err := sc.s.Import(ctx, board.Record{Issue: i}, by)
			return err
		},
		"set schema": func(sc scene) error {
			schema, err := sc.s.Schema(ctx)
			if err != nil {
				return err
			}
			schema.States = append(schema.States, board.State{Name: "extra"})
			return sc.s.SetSchema(ctx, schema, by)
		},
	}
}

func TestI4_CrashAtAnyStepKeepsCardAndEventTogether(t *testing.T) {
	for name, verb := range verbs(t) {
		for n := 1; ; n++ {
			sc := newScene(t)
			before, err := sc.s.Tip(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			crashAt(sc.s, n)
			step := dies(t, func() error { return verb(sc) })
			if step == "" {
				if n == 1 {
					t.Fatalf("%s has no steps", name)
				}
				break // every step was tried
			}
			t.Run(fmt.Sprintf("%s/%d %s", name, n, step), func(t *testing.T) {
				checkReader(t, sc.s.Layout(), before)
				checkWhole(t, sc.s.Layout())
				checkHappened(t, name, step, sc.s.Layout(), before)
			})
		}
	}
}

// checkReader looks at the store as a process does that only reads: it must not
// see an event whose card is not in place.
func checkReader(t *testing.T, l Layout, before int64) {
	t.Helper()
	s := openStore(t, l, Options{})
	events, err := s.Events(t.Context(), before, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		i, err := s.Get(t.Context(), e.IssueID)
		switch {
		case e.Type == board.EventBoardUpdated:
		case e.Type == board.EventIssueDeleted:
			if !errors.Is(err, board.ErrNotFound) {
				t.Errorf("event %d tells a deletion, the card: %v", e.Seq, err)
			}
		case err != nil || !i.UpdatedAt.Equal(e.Timestamp):
			t.Errorf("event %d was seen before its card: %v, %v", e.Seq, i.UpdatedAt, err)
		}
	}
}

// checkHappened: what was committed has happened whole, what was not has not.
func checkHappened(t *testing.T, name, step string, l Layout, before int64) {
	t.Helper()
	want := before + 1
	// Verbs over several cards are written down as a whole once all are staged.
	cards := map[string]int64{"unblock": 4, "move all": 5, "rename label": 3, "import": 4}[name]
	switch {
	case step == "staged":
		want = before
	case cards > 0:
		want = before + cards
	}
	if tip, err := openStore(t, l, Options{}).Tip(t.Context()); err != nil || tip != want {
		t.Errorf("tip is %d, %v, want %d", tip, err, want)
	}
}

func TestI4_TornEventIsNoCommit(t *testing.T) {
	sc := newScene(t)
	l := sc.s.Layout()
	crashAt(sc.s, 1)
	if step := dies(t, func() error { return verbs(t)["move"](sc) }); step != "staged" {
		t.Fatalf("died at %q", step)
	}
	appendRaw(t, l, `{"seq":5,"timestamp":"2026-`)
	checkWhole(t, l)
	i, err := sc.s.Get(t.Context(), sc.card.ID)
	if err != nil || i.State != sc.card.State {
		t.Errorf("the card moved to %s without an event, %v", i.State, err)
	}
}

func TestI4_EventThatLacksOnlyItsNewlineIsACommit(t *testing.T) {
	sc := newScene(t)
	l := sc.s.Layout()
	crashAt(sc.s, 2)
	if step := dies(t, func() error { return verbs(t)["move"](sc) }); step != "committed" {
		t.Fatalf("died at %q", step)
	}
	size := fileSize(t, l.Events())
	if err := os.Truncate(l.Events(), size-1); err != nil {
		t.Fatal(err)
	}
	checkWhole(t, l)
	i, err := sc.s.Get(t.Context(), sc.card.ID)
	if err != nil || i.State != board.StateReady {
		t.Errorf("the committed move is lost: %s, %v", i.State, err)
	}
}

func TestI4_LeftoversOfKilledProcessesAreRemoved(t *testing.T) {
	sc := newScene(t)
	l := sc.s.Layout()
	for _, name := range []string{".tmp-123", "99-native__x", "5-" + encodeID(sc.card.ID), "0-native__other"} {
		content := `{"id":"native:other","title":"never filed"}`
		if err := os.WriteFile(filepath.Join(l.Staging(), name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	checkWhole(t, l)
}

func TestI4_EventIsNotShownBeforeItsCardIsInPlace(t *testing.T) {
	sc := newScene(t)
	other := openStore(t, sc.s.Layout(), Options{NoFsync: true})
	looked := 0
	sc.s.crash = func(step string) {
		tip, err := other.Tip(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int64{"staged": 4, "committed": 4, "placed": 5, "free": 5}[step]
		if got := seqs(t, other, 3, 0); tip != want || got[len(got)-1] != want {
			t.Errorf("%s: a reader sees tip %d and events %v, want %d", step, tip, got, want)
		}
		looked++
	}
	if err := verbs(t)["move"](sc); err != nil || looked != 4 {
		t.Errorf("looked %d times, %v", looked, err)
	}
}

func TestTheLastSyncKeepsNobodyWaiting(t *testing.T) {
	sc := newScene(t)
	held := map[string]bool{}
	sc.s.crash = func(step string) {
		var err error
		if held[step], err = filelock.Probe(sc.s.Layout().WriterLock()); err != nil {
			t.Fatal(err)
		}
	}
	if err := verbs(t)["move"](sc); err != nil {
		t.Fatal(err)
	}
	for step, want := range map[string]bool{"staged": true, "committed": true, "placed": true, "free": false} {
		if got, done := held[step]; !done || got != want {
			t.Errorf("%s: the lock is held: %v (%v), want %v", step, got, done, want)
		}
	}
}

// A power cut behind the rename may bring the staged file back, and the card as
// it was.
func TestI4_ARenameThatThePowerCutTookBackIsDoneAgain(t *testing.T) {
	sc := newScene(t)
	l := sc.s.Layout()
	path, staged := l.IssueFile(sc.card.ID), filepath.Join(l.Staging(), "5-"+encodeID(sc.card.ID))
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := verbs(t)["move"](sc); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(path, staged), os.WriteFile(path, old, 0o600)); err != nil {
		t.Fatal(err)
	}
	checkReader(t, l, 4)
	checkWhole(t, l)
	if i, err := sc.s.Get(t.Context(), sc.card.ID); err != nil || i.State != board.StateReady {
		t.Errorf("the card is in %s, %v", i.State, err)
	}
}

func TestAFailedSyncBehindTheLockIsTold(t *testing.T) {
	sc := newScene(t)
	l := sc.s.Layout()
	sc.s.o.NoFsync = false
	sc.s.crash = func(step string) {
		if step == "free" {
			os.Rename(l.Issues(), l.Issues()+".away")
		}
	}
	if err := verbs(t)["move"](sc); !errors.Is(err, board.ErrAmbiguous) {
		t.Errorf("got %v, want ErrAmbiguous", err)
	}
}

func TestReaderFinishesTheWriteOfADeadProcess(t *testing.T) {
	sc := newScene(t)
	crashAt(sc.s, 2)
	if step := dies(t, func() error { return verbs(t)["move"](sc) }); step != "committed" {
		t.Fatalf("died at %q", step)
	}
	s := openStore(t, sc.s.Layout(), Options{NoFsync: true})
	if got := seqs(t, s, 4, 0); len(got) != 1 {
		t.Errorf("saw events %v, want the committed one", got)
	}
	checkNothingLeft(t, sc.s.Layout())
}

func TestI5_DamagedStagedFileDoesNotReplaceTheCard(t *testing.T) {
	for name, content := range map[string]string{"empty": "", "half": `{"id":"native:`, "another card": `{"id":"native:x"}`} {
		t.Run(name, func(t *testing.T) {
			sc := newScene(t)
			l := sc.s.Layout()
			crashAt(sc.s, 2)
			dies(t, func() error { return verbs(t)["move"](sc) })
			staged := filepath.Join(l.Staging(), "5-"+encodeID(sc.card.ID))
			if err := os.WriteFile(staged, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			s := openStore(t, l, Options{})
			if err := s.Exclusive(t.Context(), func() error { return nil }); err != nil {
				t.Fatal(err)
			}
			if i, err := s.Get(t.Context(), sc.card.ID); err != nil || i.Title != sc.card.Title {
				t.Errorf("got %+v, %v", i, err)
			}
			checkNothingLeft(t, l)
		})
	}
}

func TestI5_ForeignVerbFileIsKeptAside(t *testing.T) {
	for name, content := range map[string]string{
		"no json": "{", "empty": "", "empty object": "{}", "list": "[]",
		"a gap":           `{"changes":[{"seq":99,"id":"native:x","card":null,"event":{"seq":99,"timestamp":"2026-01-01T00:00:00Z","type":"issue_deleted","issue_id":"native:x","payload":{}}}]}`,
		"out of its room": `{"changes":[{"seq":5,"id":"../x","card":{},"event":{"seq":5,"timestamp":"2026-01-01T00:00:00Z","type":"issue_created","issue_id":"../x","payload":{}}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			sc := newScene(t)
			l := sc.s.Layout()
			if err := os.WriteFile(l.verb(), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			checkWhole(t, l)
			kept, err := filepath.Glob(l.verb() + ".unreadable-*")
			if err != nil || len(kept) != 1 {
				t.Fatalf("kept %v, %v", kept, err)
			}
			if data, err := os.ReadFile(kept[0]); err != nil || string(data) != content {
				t.Errorf("kept %q, %v", data, err)
			}
		})
	}
}

func TestFailedAppendTakesTheVerbBack(t *testing.T) {
	sc := newScene(t)
	l := sc.s.Layout()
	sc.s.crash = func(step string) {
		if step == "staged" { // from here on the log cannot be written
			os.Rename(l.Events(), l.Events()+".away")
			os.Mkdir(l.Events(), 0o700)
		}
	}
	_, err := sc.s.Move(t.Context(), sc.card.ID, board.StateReady, board.Cause{})
	if err == nil || errors.Is(err, board.ErrAmbiguous) || errors.Is(err, jsonl.ErrUnsure) {
		t.Errorf("got %v, want a plain error", err)
	}
	os.Remove(l.Events())
	os.Rename(l.Events()+".away", l.Events())
	checkNothingLeft(t, l)
	checkWhole(t, l)
}

func appendRaw(t *testing.T, l Layout, text string) {
	t.Helper()
	f, err := os.OpenFile(l.Events(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func fileSize(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

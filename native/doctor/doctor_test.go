package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"iterion/native"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/native/storetest"
)

func TestHealthyStoreIsSilent(t *testing.T) {
	b := newLab(t)
	b.index()
	rep := b.examine()
	if len(rep.Findings) > 0 || !rep.Healthy() || rep.Fixable() {
		t.Errorf("found %+v", rep.Findings)
	}
	if rep.Cards != 4 || rep.Events != 5 {
		t.Errorf("%d cards, %d events, want 4 and 5", rep.Cards, rep.Events)
	}
	if m := b.fix(rep); m.Aside != "" || len(m.Did)+len(m.Failed) > 0 {
		t.Errorf("mended %+v", m)
	}
}

// A store whose log is archived is examined as if it were not.
func TestArchivedEventsCount(t *testing.T) {
	b := newLab(t)
	b.archive()
	if rep := b.examine(); len(rep.Findings) > 0 || rep.Events != 5 {
		t.Errorf("%d events, found %+v", rep.Events, rep.Findings)
	}
	b.check(os.Remove(b.card(0)))
	b.write(b.l.IssueFile("native:new"), fmt.Sprintf(`{"id":"native:new","title":"x","state":"inbox","updated_at":%q}`, time.Now().Format(time.RFC3339Nano)))
	rep := b.examine()
	if got := ids(rep); !slices.Equal(got, []string{"card-missing", "card-without-event"}) {
		t.Errorf("found %v", got)
	}
	b.fix(rep)
	if rep := b.examine(); len(rep.Findings) > 0 {
		t.Errorf("after mending: %+v", rep.Findings)
	}
	storetest.Whole(t, b.l.Dispatcher(), storetest.Options{})
}

// breakage is one way to break a store, and what is found then.
type breakage struct {
	harm  func(*lab)
	want  string // the one check that finds something
	sev   Severity
	stays bool // Fix leaves it to a person
}

func breakages() map[string]breakage {
	all := map[string]breakage{}
	for _, part := range []map[string]breakage{cardBreakages(), logBreakages(), fileBreakages(), claimBreakages(), leftBreakages()} {
		for name, br := range part {
			all[name] = br
		}
	}
	return all
}

func TestEachBreakageIsFoundAndMendedOnce(t *testing.T) {
	for name, br := range breakages() {
		t.Run(name, func(t *testing.T) {
			b := newLab(t)
			br.harm(b)
			before := b.contents()
			rep := b.examine()
			checkFound(t, rep, br)
			checkReadOnly(t, b, before)
			m := b.fix(rep)
			if len(m.Failed) > 0 {
				t.Errorf("not mended: %v", m.Failed)
			}
			after := b.examine()
			if br.stays {
				checkFound(t, after, br)
			} else if len(after.Findings) > 0 {
				t.Errorf("after mending: %+v", after.Findings)
			}
			checkKept(t, b, before)
			if m := b.fix(rep); len(m.Did)+len(m.Failed) > 0 {
				t.Errorf("a second mending with the old report did %+v", m)
			}
			checkUsable(t, b, br)
		})
	}
}

func checkFound(t *testing.T, rep Report, br breakage) {
	t.Helper()
	if got := ids(rep); !slices.Equal(got, []string{br.want}) {
		t.Fatalf("found %v, want %s: %+v", got, br.want, rep.Findings)
	}
	for _, f := range rep.Findings {
		if f.Severity != br.sev || f.Fixable == br.stays {
			t.Errorf("%s is a %s, fixable %v; want %s, %v", f.ID, f.Severity, f.Fixable, br.sev, !br.stays)
		}
		for _, s := range []string{f.What, f.Where, f.Means, f.Remedy} {
			if s == "" || strings.HasSuffix(s, ".") {
				t.Errorf("%s: an empty part, or one that ends in a full stop: %+v", f.ID, f)
			}
		}
	}
}

func checkReadOnly(t *testing.T, b *lab, before map[string]string) {
	t.Helper()
	after := b.contents()
	for text, path := range before {
		if after[text] != path {
			t.Errorf("examining changed %s", path)
		}
	}
}

// checkKept wants every line of every file to be somewhere still. A torn line may
// have got its end.
func checkKept(t *testing.T, b *lab, before map[string]string) {
	t.Helper()
	var after strings.Builder
	for text := range b.contents() {
		after.WriteString(text + "\n")
	}
	for text, path := range before {
		for line := range strings.Lines(text) {
			if !strings.Contains(after.String(), strings.TrimSuffix(line, "\n")) {
				t.Errorf("%q of %s is gone", line, path)
			}
		}
	}
}

// checkUsable does what people do next.
func checkUsable(t *testing.T, b *lab, br breakage) {
	t.Helper()
	list, err := b.s.List(t.Context(), board.Query{})
	if err != nil || len(list.Broken) > 0 && !br.stays {
		t.Fatalf("list: %v, broken %v", err, list.Broken)
	}
	if br.want == "board-unreadable" {
		return
	}
	if _, err := b.s.Create(t.Context(), board.Issue{Title: "next"}, board.Cause{}); err != nil {
		t.Fatalf("create: %v", err)
	}
	if rep := b.examine(); !br.stays && len(rep.Findings) > 0 {
		t.Errorf("after the next write: %+v", rep.Findings)
	}
	if !br.stays {
		storetest.Whole(t, b.l.Dispatcher(), storetest.Options{})
	}
}

func TestManyBreakagesAtOnceAreMended(t *testing.T) {
	b := newLab(t)
	b.write(b.card(0), "{")
	b.check(os.Remove(b.card(1)))
	b.write(b.in(".staging/99-native__x"), "never committed")
	b.lines(func(l []string) []string { return append(l, "half a li") })
	b.write(b.in(verbName+".unreadable-7"), "{}")
	b.check(os.Chmod(b.card(2), 0o644))
	b.write(b.l.Claims(), "{")
	want := []string{"card-unreadable", "journal-unreadable", "card-missing", "log-torn-tail", "perm-open", "verb-set-aside", "write-unfinished"}
	rep := b.examine()
	if got := ids(rep); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	m := b.fix(rep)
	if after := b.examine(); len(after.Findings) > 0 || len(m.Failed) > 0 {
		t.Errorf("did %v, failed %v, left %+v", m.Did, m.Failed, after.Findings)
	}
	if got := b.read(filepath.Join(m.Aside, "dispatcher", "issues", filepath.Base(b.card(0)))); got != "{" {
		t.Errorf("the card set aside holds %q", got)
	}
}

func TestCardThatWasSetAsideComesBack(t *testing.T) {
	b := newLab(t)
	good := b.read(b.card(0))
	b.write(b.card(0), "{")
	m := b.fix(b.examine())
	b.write(b.card(0), good)
	rep := b.examine()
	checkFound(t, rep, breakage{want: "card-without-event", sev: Warning})
	b.fix(rep)
	events, err := b.s.Events(t.Context(), -1, 0)
	b.check(err)
	e := events[len(events)-1]
	if e.Type != board.EventIssueCreated || e.IssueID != b.cards[0].ID || e.Payload.Reason != "import" || e.Seq != 6 {
		t.Errorf("the last event is %+v; aside %s", e, m.Aside)
	}
}

// A store that is worked on by several writers is a healthy one.
func TestWritersAtWorkAreNoFindings(t *testing.T) {
	b := newLab(t)
	ctx, cancel := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for range 3 {
		writers.Go(func() { workUntil(ctx, t, b.l) })
	}
	for range 25 {
		rep, err := Examine(t.Context(), b.options())
		if err != nil || len(rep.Findings) > 0 {
			t.Errorf("found %+v, %v", rep.Findings, err)
			break
		}
	}
	cancel()
	writers.Wait()
}

// Mending beside writers loses nothing of theirs and tells nothing that is not so.
func TestMendingBesideWriters(t *testing.T) {
	b := newLab(t)
	ctx, cancel := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() { workUntil(ctx, t, b.l) })
	}
	for n := range 6 {
		b.write(b.l.IssueFile(fmt.Sprint("native:bad-", n)), "{")
		b.append(b.l.Events(), "garbage\n")
		m, err := Fix(t.Context(), b.options(), b.examine())
		if len(m.Failed) > 0 || err != nil && !errors.Is(err, board.ErrBusy) {
			t.Errorf("failed %v, %v", m.Failed, err)
		}
		for _, did := range m.Did {
			if strings.Contains(did, "noted in the log") {
				t.Errorf("%s, though nobody but the store changed a card", did)
			}
		}
	}
	cancel()
	writers.Wait()
	b.fix(b.examine())
	if rep := b.examine(); len(rep.Findings) > 0 {
		t.Errorf("left: %+v", rep.Findings)
	}
	if rep := storetest.Whole(t, b.l.Dispatcher(), storetest.Options{}); rep.Torn > 0 {
		t.Errorf("%d torn lines are left", rep.Torn)
	}
}

func workUntil(ctx context.Context, t *testing.T, l native.Layout) {
	s, err := native.Open(l, native.Options{NoFsync: true, LockWait: time.Minute})
	if err != nil {
		t.Error(err)
		return
	}
	for ctx.Err() == nil {
		i, err := s.Create(t.Context(), board.Issue{Title: "x"}, board.Cause{})
		if err == nil {
			_, err = s.Move(t.Context(), i.ID, board.StateReady, board.Cause{})
		}
		if err == nil {
			err = s.Delete(t.Context(), i.ID, false, board.Cause{})
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}

func TestProgressCountsTheCards(t *testing.T) {
	b := newLab(t)
	fill(b, 600, 1)
	var told []int
	o := b.options()
	o.Progress = func(done, of int) {
		if of != 604 {
			t.Errorf("of %d cards, want 604", of)
		}
		told = append(told, done)
	}
	if _, err := Examine(t.Context(), o); err != nil || !slices.Equal(told, []int{256, 512}) {
		t.Errorf("told %v, %v", told, err)
	}
}

func TestExaminingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Examine(ctx, newLab(t).options()); err == nil {
		t.Error("a cancelled examination reports a store")
	}
}

func TestCardThatIsWorkedOnIsNotMoved(t *testing.T) {
	b := newLab(t)
	b.write(b.card(0), "{")
	rep := b.examine()
	b.hold(filepath.Join(b.l.Runs(), b.run, run.LockFile))
	b.journal(entry{IssueID: b.cards[0].ID, Marker: "dispatcher:a", Owner: "a", RunID: b.run})
	m := b.fix(rep)
	if len(m.Failed) != 1 || !strings.Contains(m.Failed[0], "at work") {
		t.Errorf("a card whose run is at work: did %v, failed %v", m.Did, m.Failed)
	}
	if b.read(b.card(0)) != "{" {
		t.Error("it was moved")
	}
}

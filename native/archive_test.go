package native

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"iterion/native/board"
)

// always is an instant before which every event lies.
func always() time.Time { return time.Now().Add(time.Hour) }

// dayLine is an event of the given day of 2026.
func dayLine(seq int64, day int) string {
	at := time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
	return strings.Replace(eventLine(seq), "2026-01-01T00:00:00Z", at, 1)
}

func mustArchive(t *testing.T, s *Store, before time.Time) Archived {
	t.Helper()
	done, err := s.ArchiveEvents(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func TestI4_ArchivedEventsAreReadFromAnyPlaceAndTheNumberingGoesOn(t *testing.T) {
	l := newStoreDir(t)
	s, reader := openStore(t, l, Options{NoFsync: true}), openStore(t, l, Options{NoFsync: true})
	for n := range 10 {
		mustCreate(t, s, fmt.Sprint("card ", n), "")
	}
	if got := seqs(t, reader, -1, 3); len(got) != 3 {
		t.Fatalf("the reader begins with %v", got)
	}
	done := mustArchive(t, s, always())
	if done.Events != 9 || done.First != 0 || done.Last != 8 || len(done.Files) != 1 || done.Files[0] != "events-0-8.jsonl.gz" {
		t.Errorf("archived %+v", done)
	}
	mustCreate(t, s, "card 10", "")
	if done := mustArchive(t, openStore(t, l, Options{NoFsync: true}), always()); done.First != 9 || done.Last != 9 {
		t.Errorf("the second time it archived %+v", done)
	}
	mustCreate(t, reader, "card 11", "")
	for after := int64(-1); after < 12; after++ {
		for _, limit := range []int{0, 1, 2, 5} {
			want := 11 - int(after)
			if limit > 0 {
				want = min(want, limit)
			}
			for _, s := range []*Store{s, reader, openStore(t, l, Options{})} {
				got := seqs(t, s, after, limit)
				if len(got) != want || want > 0 && (got[0] != after+1 || got[want-1] != after+int64(want)) {
					t.Errorf("after %d, at most %d: %v", after, limit, got)
				}
			}
		}
	}
	checkWhole(t, l)
}

func TestArchivePartsTheLogByTimeAndNeverTakesItsEnd(t *testing.T) {
	for _, c := range []struct {
		name, log string
		day       int // before which
		stays     int64
	}{
		{"old ones go", dayLine(0, 1) + dayLine(1, 2) + dayLine(2, 3) + dayLine(3, 4), 3, 2},
		{"none is old", dayLine(0, 5) + dayLine(1, 6), 3, 0},
		{"all are old", dayLine(0, 1) + dayLine(1, 1) + dayLine(2, 1), 3, 2},
		{"one event", dayLine(0, 1), 3, 0},
		{"the clock went back for the last", dayLine(0, 1) + dayLine(1, 2) + dayLine(2, 1), 3, 1},
		{"lines that are no events go along", "junk\n" + dayLine(0, 1) + "torn{\n" + dayLine(1, 2) + "\n" + dayLine(2, 4), 3, 2},
		{"no event goes for a line that is none", "junk\n" + dayLine(0, 4), 3, 0},
		{"a torn tail stays", dayLine(0, 1) + dayLine(1, 2) + dayLine(2, 4) + `{"seq":3,`, 3, 2},
		{"one from the future stops it", dayLine(0, 1) + dayLine(1, 9) + dayLine(2, 1) + dayLine(3, 9), 3, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := withLog(t, c.log)
			before := seqs(t, s, -1, 0)
			done := mustArchive(t, s, time.Date(2026, 1, c.day, 0, 0, 0, 0, time.UTC))
			begins, err := firstSeq(s.l.Events())
			if err != nil || begins != c.stays || int64(done.Events) != c.stays {
				t.Errorf("the log begins with %d, %v, want %d; %+v", begins, err, c.stays, done)
			}
			rest, _ := os.ReadFile(s.l.Events())
			if at := strings.Index(c.log, fmt.Sprintf(`{"seq":%d,`, c.stays)); c.stays > 0 && strings.TrimSuffix(string(rest), "\n") != strings.TrimSuffix(c.log[at:], "\n") {
				t.Errorf("the log is now\n%s", rest)
			}
			if after := seqs(t, openStore(t, s.l, Options{}), -1, 0); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("read %v, want %v", after, before)
			}
		})
	}
}

func TestArchiveTakesSeveralFilesForALongLog(t *testing.T) {
	var log strings.Builder
	const events = 2*archiveSize + 10
	for n := range int64(events) {
		log.WriteString(dayLine(n, 1))
	}
	s := withLog(t, log.String())
	done := mustArchive(t, s, always())
	if len(done.Files) != 3 || done.Last != events-2 {
		t.Errorf("archived %+v", done)
	}
	for _, border := range []int64{archiveSize, 2 * archiveSize, events - 1} {
		want := fmt.Sprint([]int64{border - 1, border})
		if got := seqs(t, s, border-2, 2); fmt.Sprint(got) != want {
			t.Errorf("over the border at %d: %v", border, got)
		}
	}
}

func TestArchiveRefusesALogThatIsOutOfOrder(t *testing.T) {
	log := dayLine(1, 1) + dayLine(0, 2) + dayLine(2, 3)
	s := withLog(t, log)
	if _, err := s.ArchiveEvents(t.Context(), always()); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if data, _ := os.ReadFile(s.l.Events()); string(data) != log {
		t.Errorf("the log is now\n%s", data)
	}
}

func TestI4_ALogThatIsGoneIsNumberedOnFromItsArchives(t *testing.T) {
	s := withLog(t, dayLine(0, 1)+dayLine(1, 1)+dayLine(2, 1))
	mustArchive(t, s, always())
	if err := os.Remove(s.l.Events()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{s, openStore(t, s.l, Options{NoFsync: true})} {
		mustCreate(t, s, "new", "")
	}
	if got := seqs(t, s, -1, 0); fmt.Sprint(got) != "[0 1 2 3]" {
		t.Errorf("read %v", got)
	}
}

func TestADamagedArchiveHidesNothingElse(t *testing.T) {
	s := withLog(t, dayLine(0, 1)+dayLine(1, 1)+dayLine(2, 1))
	mustArchive(t, s, always())
	if err := os.WriteFile(s.l.archive(0, 1), []byte("no gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := seqs(t, s, -1, 0); fmt.Sprint(got) != "[2]" {
		t.Errorf("read %v", got)
	}
}

func TestI4_ArchivingThatDiesAtAnyStepLosesNothing(t *testing.T) {
	for n := 1; ; n++ {
		sc := newScene(t)
		before := seqs(t, sc.s, -1, 0)
		crashAt(sc.s, n)
		step := dies(t, func() error { _, err := sc.s.ArchiveEvents(t.Context(), always()); return err })
		if step == "" {
			if n != 4 {
				t.Errorf("died at %d steps, want 3", n-1)
			}
			return
		}
		t.Run(step, func(t *testing.T) {
			l := sc.s.Layout()
			if got := seqs(t, openStore(t, l, Options{}), -1, 0); fmt.Sprint(got) != fmt.Sprint(before) {
				t.Errorf("a reader sees %v, want %v", got, before)
			}
			checkWhole(t, l)
			next := openStore(t, l, Options{NoFsync: true})
			mustCreate(t, next, "the next", "")
			mustArchive(t, next, always())
			checkWhole(t, l)
			if got := seqs(t, openStore(t, l, Options{}), -1, 0); len(got) != len(before)+1 {
				t.Errorf("behind the next archiving a reader sees %v", got)
			}
		})
	}
}

// onWarning calls itself when the store warns of something.
type onWarning func()

func (f onWarning) Enabled(context.Context, slog.Level) bool  { return true }
func (f onWarning) Handle(context.Context, slog.Record) error { f(); return nil }
func (f onWarning) WithAttrs([]slog.Attr) slog.Handler        { return f }
func (f onWarning) WithGroup(string) slog.Handler             { return f }

func TestI4_ALogThatIsReplacedWhileItIsReadIsReadAgain(t *testing.T) {
	s := withLog(t, dayLine(3, 1)+dayLine(4, 1)+dayLine(5, 1))
	if err := os.WriteFile(s.l.archive(0, 2), []byte("no gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	var once sync.Once // between the look for the place in the log and the reading from there
	between := onWarning(func() { once.Do(func() { mustArchive(t, s, always()) }) })
	reader := openStore(t, s.l, Options{Log: slog.New(between)})
	if got := seqs(t, reader, -1, 0); fmt.Sprint(got) != "[3 4 5]" {
		t.Errorf("read %v", got)
	}
}

// Writers, a reader who follows the log, and archiving go on at the same time, each
// with a Store of its own as processes have.
func TestI4_AReaderMissesNothingWhileTheLogIsArchived(t *testing.T) {
	l := newStoreDir(t)
	const writers, cards, rounds = 2, 60, 12
	var all sync.WaitGroup
	for range writers {
		s := openStore(t, l, Options{NoFsync: true, LockWait: time.Minute})
		all.Go(func() {
			for range cards {
				if _, err := s.Create(context.Background(), board.Issue{Title: "a card"}, board.Cause{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	archiver := openStore(t, l, Options{NoFsync: true, LockWait: time.Minute})
	all.Go(func() {
		for range rounds {
			if _, err := archiver.ArchiveEvents(context.Background(), always()); err != nil {
				t.Error(err)
			}
		}
	})
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	reader, seen := openStore(t, l, Options{NoFsync: true}), int64(-1)
	for last := false; !last; {
		select {
		case <-ended:
			last = true
		default:
		}
		for _, seq := range seqs(t, reader, seen, 7) {
			if seq != seen+1 {
				t.Fatalf("behind event %d the reader saw %d", seen, seq)
			}
			seen = seq
		}
	}
	if got := seqs(t, reader, seen, 0); seen+int64(len(got)) != writers*cards-1 {
		t.Errorf("the reader ended at %d, the log at %d", seen, writers*cards-1)
	}
	checkWhole(t, l)
}

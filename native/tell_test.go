package native

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"iterion/native/board"
)

func TestTellNumbersItsEventsBehindTheLog(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	card := mustCreate(t, s, "x", "")
	err := s.Tell(t.Context(), func() ([]board.Event, error) {
		e := board.Event{Timestamp: time.Now().UTC(), Type: board.EventIssueUpdated, IssueID: card.ID}
		return []board.Event{e, e}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	mustCreate(t, s, "y", "")
	events, err := s.Events(t.Context(), -1, 0)
	if err != nil || len(events) != 4 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	checkSeq(t, events)
}

func TestTellThatFailsTellsNothing(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	mustCreate(t, s, "x", "")
	broken := errors.New("broken")
	if err := s.Tell(t.Context(), func() ([]board.Event, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if tip, err := s.Tip(t.Context()); tip != 0 || err != nil {
		t.Errorf("tip %d, %v", tip, err)
	}
}

// What is committed stays for the next writer to finish, also when its event
// lacks nothing but the newline.
func TestKeepStrayHandsOutWhatWasNeverCommitted(t *testing.T) {
	for _, step := range []string{"staged", "committed"} {
		t.Run(step, func(t *testing.T) {
			l := newStoreDir(t)
			s := openStore(t, l, Options{NoFsync: true})
			mustCreate(t, s, "first", "")
			s.crash = func(at string) {
				if at == step {
					panic(died{step})
				}
			}
			dies(t, func() error { _, err := s.Create(t.Context(), board.Issue{Title: "x"}, board.Cause{}); return err })
			chopNewline(t, l.Events())
			got := keptStray(t, openStore(t, l, Options{NoFsync: true}))
			if (len(got) == 1) != (step == "staged") {
				t.Errorf("after %q, handed out %v", step, got)
			}
			checkWhole(t, l)
		})
	}
}

func keptStray(t *testing.T, s *Store) []string {
	t.Helper()
	var got []string
	err := s.KeepStray(t.Context(), func(path string) error {
		got = append(got, path)
		return os.Rename(path, filepath.Join(t.TempDir(), "kept"))
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func chopNewline(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-1)
	}
	if err != nil {
		t.Fatal(err)
	}
}

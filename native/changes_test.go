package native

import (
	"os"
	"testing"

	"iterion/native/board"
)

func TestChangesTellsWhatBecameDifferentAndReadsNothingElse(t *testing.T) {
	l, want := indexed(t, 50)
	s := openStore(t, l, Options{NoFsync: true})
	loads := countLoads(s)
	var seen Seen
	expect := func(what string, issues, gone, broken int, read int64) Changes {
		t.Helper()
		loads.Store(0)
		c, err := s.Changes(t.Context(), &seen)
		if err != nil || len(c.Issues) != issues || len(c.Gone) != gone || len(c.Broken) != broken || loads.Load() != read {
			t.Errorf("%s: %d changed, %d gone, %d broken, %d files read, %v; want %d, %d, %d, %d", what,
				len(c.Issues), len(c.Gone), len(c.Broken), loads.Load(), err, issues, gone, broken, read)
		}
		return c
	}
	expect("the first look", 50, 0, 0, 0)
	expect("nothing happened", 0, 0, 0, 0)

	other := openStore(t, l, Options{NoFsync: true}) // as another process would
	id := want.Issues[3].ID
	if _, err := other.Move(t.Context(), id, board.StateReady, board.Cause{}); err != nil {
		t.Fatal(err)
	}
	backdate(t, l.IssueFile(id))
	if c := expect("one moved", 1, 0, 0, 1); c.Issues[0].State != board.StateReady {
		t.Errorf("got %+v", c.Issues)
	}
	expect("nothing happened since", 0, 0, 0, 0)

	spoilt := l.IssueFile(want.Issues[4].ID)
	whole, err := os.ReadFile(spoilt)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Remove(l.IssueFile(want.Issues[5].ID)), os.WriteFile(spoilt, []byte("{"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	expect("one gone, one broken", 0, 1, 1, 1)
	if err := os.WriteFile(spoilt, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	backdate(t, spoilt)
	expect("the broken one mended", 1, 0, 0, 1)
	expect("nothing happened at last", 0, 0, 0, 0)
}

package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"iterion/daemon/control"
	"iterion/native/board"
)

// second returns options of another daemon on the store, with a root of its own.
func (b *lab) second(name string) Options {
	b.Helper()
	o := b.options()
	o.ConfigPath = filepath.Join(b.dir, name+".yaml")
	b.must(os.WriteFile(o.ConfigPath, []byte("workspace: {root: "+name+"}\n"), 0o600))
	return o
}

// The owner of the store's singletons is killed; one of the others takes its place,
// and the cards go on.
func TestAnotherDaemonTakesOverTheSingletons(t *testing.T) {
	b := newLab(t)
	kill := b.startProcess("")
	b.dial(control.PlaceOf(b.l))
	own, stopOne := b.start(b.second("one"))
	_, stopTwo := b.start(b.second("two"))
	if st, err := own.Status(t.Context()); err != nil || st.Singleton {
		t.Fatalf("status %+v, %v", st, err)
	}
	gate := filepath.Join(b.dir, "gate")
	id := b.card("echo begun; until test -e " + gate + "; do sleep 0.02; done")
	b.running(id, "begun")
	kill()
	c := b.dial(control.PlaceOf(b.l))
	st, err := c.Status(t.Context())
	if err != nil || !st.Singleton || st.WorkspaceRoot == b.l.Workspaces() {
		t.Fatalf("status %+v, %v", st, err)
	}
	own.Close()
	b.must(os.WriteFile(gate, nil, 0o600))
	b.settled(id, board.StateReview)
	if recs := b.runsOf(id); len(recs) != 1 {
		t.Errorf("%d runs of the card that the dead daemon held", len(recs))
	}
	b.settled(b.card("true"), board.StateReview)
	stopOne()
	b.dial(control.PlaceOf(b.l)) // the last one left
	stopTwo()
	if _, err := os.Lstat(b.l.Socket()); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}

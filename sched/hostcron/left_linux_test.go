package hostcron

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iterion/native/proctree"
	"iterion/sched/gate"
)

// The kernel ends the guard's shell with the tick that is killed, and not what the
// shell had started.
func TestNextTickEndsWhatIsLeftOfADeadTicksGuard(t *testing.T) {
	l := newLab(t, row("often", "* * * * *", "    guard: \"(trap '' TERM; touch up; sleep 600 | cat) & wait\"\n"))
	left := func() []proctree.Process {
		found, err := proctree.Orphans(proctree.ByEnviron("PWD", l.store), nil)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	t.Cleanup(func() {
		find := func() ([]proctree.Process, error) { return left(), nil }
		if err := proctree.End(context.Background(), find, proctree.Patience{Proof: 10 * time.Second}); err != nil {
			t.Error(err)
		}
	})
	cmd := l.tickProcess(t, 0, 0)
	eventually(t, "the guard runs", func() error { _, err := os.Stat(filepath.Join(l.store, "up")); return err })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	eventually(t, "something of the guard is left", func() error {
		if found := left(); len(found) == 0 {
			return fmt.Errorf("nothing")
		}
		return nil
	})
	l.set(t, row("often", "* * * * *", ""))
	out := l.tickAt(t, "often", at(10, 0, 1))
	if len(out.Settled) != 1 || out.Settled[0].Decision != gate.LaunchFailed || !strings.Contains(out.Settled[0].Reason, "died before the launch") {
		t.Errorf("settled %+v", out.Settled)
	}
	if found := left(); len(found) > 0 {
		t.Errorf("processes left: %+v", found)
	}
	l.checkOnce(t)
}

package daemon

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"iterion/native/proctree"
)

// What a guard had started outlives a daemon that is killed; the next one ends it when
// it takes the slot up again.
func TestNextDaemonEndsWhatIsLeftOfADeadOnesGuard(t *testing.T) {
	b := newLab(t)
	left := func() ([]proctree.Process, error) {
		return proctree.Orphans(proctree.ByEnviron("GUARD_OF", b.home), nil)
	}
	t.Cleanup(func() {
		if err := proctree.End(context.Background(), left, proctree.Patience{Proof: 10 * time.Second}); err != nil {
			t.Error(err)
		}
	})
	up := filepath.Join(b.home, "up")
	b.triggers(second("beat", "true", `guard: "export GUARD_OF=`+b.home+`; (trap '' TERM; touch `+up+`; sleep 600 | cat) & wait"`))
	kill := b.startProcess("")
	b.until("the guard runs", func() bool { _, err := os.Stat(up); return err == nil })
	kill()
	b.until("something of the guard is left", func() bool {
		found, err := left()
		b.must(err)
		return len(found) > 0
	})
	b.triggers(second("beat", "true"))
	b.start(b.options())
	b.until("it is ended", func() bool {
		found, err := left()
		b.must(err)
		return len(found) == 0
	})
}

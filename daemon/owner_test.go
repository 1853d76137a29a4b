package daemon

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"iterion/native/filelock"
)

// A killed daemon's lock that a child still has on its way to an exec is waited
// for; the lock of one that lives is not.
func TestLockOfADeadDaemonIsWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	child := exec.Command("true")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	copied, err := filelock.TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	var held *filelock.HeldError
	began := time.Now()
	if _, err := takeLock(path); !errors.As(err, &held) || time.Since(began) > afterlife/2 {
		t.Errorf("a living holder: %v after %s, want a refusal at once", err, time.Since(began))
	}
	h := held.Holder
	h.PID = child.Process.Pid // as if the holder had been that process
	if !dead(h) {
		t.Fatal("a process that has ended counts as alive")
	}
	line, err := json.Marshal(h)
	if err == nil {
		err = os.WriteFile(path, line, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(afterlife/10, func() { _ = copied.Release() })
	lock, err := takeLock(path)
	if err != nil {
		t.Fatalf("a dead holder: %v", err)
	}
	_ = lock.Release()
}

package gate

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"iterion/native/proctree"
)

func TestGuardDiesWithACallerThatIsKilled(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "decide", dir)
	cmd.Env = append(os.Environ(), "GATE_TEST="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	left := func() []proctree.Process {
		p, err := proctree.Orphans(proctree.ByEnviron("GATE_TEST", dir), nil)
		if err != nil {
			t.Error(err)
		}
		return p
	}
	eventually(t, "the guard runs", func() bool { _, err := os.Stat(filepath.Join(dir, "up")); return err == nil })
	if len(left()) < 2 {
		t.Errorf("%v run, want the caller and its guard", left())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	eventually(t, "the guard is gone", func() bool { return len(left()) == 0 })
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 30 s", what)
		}
	}
}

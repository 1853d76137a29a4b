package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLookNamesTheHolderAndLeavesTheFileAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if held, err := Look(path); held != nil || err != nil {
		t.Errorf("no file: %v, %v", held, err)
	}
	lock, err := TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	held, err := Look(path)
	if err != nil || held == nil || held.Holder.PID != os.Getpid() || held.Stopped {
		t.Errorf("held by this process: %+v, %v", held, err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Errorf("the file says %q, it said %q", after, before)
	}
	lock.Release()
	if held, err := Look(path); held != nil || err != nil {
		t.Errorf("released: %v, %v", held, err)
	}
}

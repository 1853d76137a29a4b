package native

import (
	"os"
	"testing"
)

func TestCheckIndexTellsADamagedOne(t *testing.T) {
	if err := CheckIndex(newStoreDir(t)); err != nil {
		t.Errorf("no index: %v", err)
	}
	l, _ := indexed(t, 3)
	good, err := os.ReadFile(l.Index())
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckIndex(l); err != nil {
		t.Errorf("a new index: %v", err)
	}
	for name, at := range map[string]int{"head": 30, "content": indexHeadSize + 5, "table": len(good) - 5} {
		bad := append([]byte(nil), good...)
		bad[at] ^= 0x40
		if err := os.WriteFile(l.Index(), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if CheckIndex(l) == nil {
			t.Errorf("a bit of the %s is wrong, and nothing is told", name)
		}
	}
}

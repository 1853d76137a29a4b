package native

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIndexThatCannotBeWrittenIsDoneWithout(t *testing.T) {
	l, want := indexed(t, 5)
	if err := os.Remove(l.Index()); err != nil {
		t.Fatal(err)
	}
	protect(t, l)
	asNobody(t)
	s := openStore(t, l, Options{})
	loads := countLoads(s)
	for range 2 {
		if diff := cmp.Diff(want.Issues, listOf(t, s).Issues); diff != "" {
			t.Error(diff)
		}
	}
	if loads.Load() > 10 {
		t.Errorf("%d files read", loads.Load())
	}
	if _, err := os.Lstat(l.Index()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an index came into a store that is only to be read: %v", err)
	}
}

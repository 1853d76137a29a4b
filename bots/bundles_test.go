package bots

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"iterion/bots/catalog"
)

func TestEveryEmbeddedBotIsWhole(t *testing.T) {
	names, err := fs.ReadDir(catalog.FS(), ".")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 2 {
		t.Fatalf("the catalog holds %d bots, want hello and shell at least", len(names))
	}
	for _, n := range names {
		b, err := NewRegistry(nil).Resolve(n.Name())
		if err != nil {
			t.Errorf("%s: %v", n.Name(), err)
			continue
		}
		dir, err := b.Materialize(t.TempDir())
		if err != nil {
			t.Errorf("%s: %v", n.Name(), err)
			continue
		}
		copied, err := Load(dir)
		if err != nil {
			t.Errorf("%s copied out: %v", n.Name(), err)
			continue
		}
		var missing *MissingProgramError
		if err := copied.Launchable(); err != nil && (!errors.As(err, &missing) || missing.Install == "") {
			t.Errorf("%s copied out: %v, want it launchable, or a word on how to get its program", n.Name(), err)
		}
		if len(copied.Manifest.Ignored) > 0 || copied.Manifest.Description == "" {
			t.Errorf("%s: ignored keys %v, description %q", n.Name(), copied.Manifest.Ignored, copied.Manifest.Description)
		}
		if _, err := os.Stat(filepath.Join(dir, "README.md")); err != nil {
			t.Errorf("%s: %v", n.Name(), err)
		}
	}
}

func TestMaterializedBundlesArePrivate(t *testing.T) {
	b, err := NewRegistry(nil).Resolve("hello")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := b.Materialize(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{".": 0o700, "run.sh": 0o700, "manifest.yaml": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if got := info.Mode().Perm(); got != want {
			t.Errorf("mode of %s is %o, want %o", name, got, want)
		}
	}
}

func TestMaterializeLeavesABundleInAFolderWhereItIs(t *testing.T) {
	path := bundle(t, t.TempDir(), "b", "name: b\n")
	b, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := b.Materialize(t.TempDir()); err != nil || got != path {
		t.Errorf("Materialize = %s, %v, want %s", got, err, path)
	}
}

package bots

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

func TestScaffoldedBotRunsAsItIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bots")
	path, err := Scaffold(dir, "my-bot")
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewRegistry([]string{dir}).Resolve("my-bot")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Launchable(); err != nil {
		t.Fatal(err)
	}
	if b.Dir != path || len(b.Manifest.Ignored) > 0 {
		t.Errorf("resolved to %s with ignored keys %v, want %s", b.Dir, b.Manifest.Ignored, path)
	}
	readme, err := os.ReadFile(filepath.Join(path, "README.md"))
	if err != nil || !strings.Contains(string(readme), "# my-bot") || strings.Contains(string(readme), "NAME") {
		t.Errorf("README is not filled in: %v\n%s", err, readme)
	}
	runScaffold(t, b)
}

// runScaffold runs the bot's command with a stand-in for iterion that notes what
// it is called with.
func runScaffold(t *testing.T, b Bot) {
	t.Helper()
	bin := t.TempDir()
	said := filepath.Join(bin, "said")
	stub := "#!/bin/sh\nprintf '%s|' \"$@\" >>" + said + "\n"
	if err := os.WriteFile(filepath.Join(bin, "iterion"), []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(b.Manifest.Run.Command[0])
	cmd.Path = filepath.Join(b.Dir, cmd.Path)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", "ITERION_VAR_PROMPT=--tidy up"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("run.sh: %v\n%s", err, out)
	}
	got, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	want := "report|progress|--percent|50|--|working on: --tidy up|report|output|--|answer=42|note=replace this with your work|"
	if string(got) != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

func TestScaffoldRefusesWhatItCannotMake(t *testing.T) {
	dir := t.TempDir()
	var name *NameError
	for _, bad := range []string{"", "My-Bot", "1bot", "a b", "../x", ".x"} {
		if _, err := Scaffold(dir, bad); !errors.As(err, &name) {
			t.Errorf("Scaffold(%q) = %v, want a *NameError", bad, err)
		}
	}
	keep := bundle(t, dir, "taken", "name: taken\n")
	if _, err := Scaffold(dir, "taken"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Scaffold over %s = %v, want fs.ErrExist", keep, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("refusals left %v behind, %v", left, err)
	}
}

package bots

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/bots/botz"
	"iterion/bots/manifest"
)

// packed makes dir/name.botz of a bundle with a program that says word.
func packed(t *testing.T, dir, name, word string) string {
	t.Helper()
	from := bundle(t, t.TempDir(), name, "name: "+name+"\ndescription: says "+word+"\nrun: {command: [./run.sh]}\n")
	if err := os.WriteFile(filepath.Join(from, "run.sh"), []byte("#!/bin/sh\necho "+word+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, name+botz.Suffix)
	if _, err := Pack(from, file); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestArchivesAreFoundBehindTheFoldersOfTheSamePlace(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	packed(t, one, "fix-lint", "packed")
	packed(t, one, "only", "only")
	bundle(t, one, "fix_lint", "name: fix_lint\n") // sorts behind the archive
	bundle(t, two, "only", "name: only\n")
	packed(t, two, "shell", "mine")
	if err := os.WriteFile(filepath.Join(two, "bad.botz"), []byte("no archive"), 0o644); err != nil {
		t.Fatal(err)
	}
	packed(t, two, "hidden", "x")
	if err := os.Rename(filepath.Join(two, "hidden.botz"), filepath.Join(two, ".hidden.botz")); err != nil {
		t.Fatal(err)
	}
	short := strings.NewReplacer(one, "1", two, "2")
	var got []string
	r := NewRegistry([]string{one, two})
	for _, e := range r.List() {
		line := short.Replace(e.Bot.Tier + " " + e.Path)
		if e.Err != nil {
			line += " broken"
		}
		if e.ShadowedBy != "" {
			line += " < " + short.Replace(e.ShadowedBy)
		}
		if e.Bot.Tier != TierCatalog || e.ShadowedBy != "" {
			got = append(got, line)
		}
	}
	want := []string{
		"folder 1/fix_lint", "archive 1/fix-lint.botz < 1/fix_lint", "archive 1/only.botz",
		"folder 2/only < 1/only.botz", "archive 2/bad.botz broken", "archive 2/shell.botz", "catalog catalog:shell < 2/shell.botz",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("listing differs (-want +got):\n%s", diff)
	}
	b, err := r.Resolve("fix-lint")
	if err != nil || b.Tier != TierFolder {
		t.Errorf("Resolve(fix-lint) = %s, %v, want the folder", b.Path(), err)
	}
	behind := r.Shadowed("only")
	if len(behind) != 1 || behind[0].Path != filepath.Join(two, "only") {
		t.Errorf("Shadowed(only) = %v", behind)
	}
	var bad *botz.Error
	if _, err := r.Resolve("bad"); !errors.As(err, &bad) {
		t.Errorf("Resolve(bad) = %v, want a *botz.Error", err)
	}
}

func TestAPackedBotIsUnpackedForEachRun(t *testing.T) {
	dir, run := t.TempDir(), t.TempDir()
	file := packed(t, dir, "b", "one")
	r := NewRegistry([]string{dir})
	b, err := r.Resolve("b")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Launchable(); err != nil || b.Dir != "" || b.Path() != file {
		t.Fatalf("%+v, launchable: %v", b, err)
	}
	first, err := b.Materialize(filepath.Join(run, "1", "bundle"))
	if err != nil {
		t.Fatal(err)
	}
	says(t, first, "one")
	if info, err := os.Stat(filepath.Join(first, "run.sh")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	// The run that was launched keeps its bundle; the next one gets the new one.
	packed(t, dir, "b", "two")
	if again, err := b.Materialize(filepath.Join(run, "1", "bundle")); err != nil || again != first {
		t.Errorf("Materialize again = %s, %v", again, err)
	}
	says(t, first, "one")
	if b, err = r.Resolve("b"); err != nil {
		t.Fatal(err)
	}
	second, err := b.Materialize(filepath.Join(run, "2", "bundle"))
	if err != nil {
		t.Fatal(err)
	}
	says(t, second, "two")
}

func says(t *testing.T, dir, word string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "run.sh"))
	if err != nil || !strings.Contains(string(data), "echo "+word) {
		t.Errorf("%s holds %q, %v, want it to say %s", dir, data, err, word)
	}
}

func TestAnArchiveThatIsReplacedDuringLaunchIsRefused(t *testing.T) {
	dir, run := t.TempDir(), t.TempDir()
	packed(t, dir, "b", "one")
	b, err := NewRegistry([]string{dir}).Resolve("b")
	if err != nil {
		t.Fatal(err)
	}
	packed(t, dir, "b", "two")
	if _, err := b.Materialize(run); err == nil || !strings.Contains(err.Error(), "start the run again") {
		t.Errorf("Materialize = %v", err)
	}
	if left, _ := os.ReadDir(run); len(left) > 0 {
		t.Errorf("left behind %v", left)
	}
}

func TestAnArchiveIsReadAgainOnlyWhenItChanges(t *testing.T) {
	dir := t.TempDir()
	file := packed(t, dir, "b", "one")
	old := time.Now().Add(-time.Hour)
	age := func() {
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	age()
	s := newShelf()
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			if b, err := s.load(file); err != nil || b.Manifest.Description != "says one" {
				t.Errorf("load = %+v, %v", b.Manifest, err)
			}
		})
	}
	users.Wait()
	first, _ := s.load(file)
	if again, _ := s.load(file); again.packed != first.packed {
		t.Error("an archive that did not change was read again")
	}
	packed(t, dir, "b", "two")
	age() // as old as before, another file
	if b, err := s.load(file); err != nil || b.Manifest.Description != "says two" {
		t.Errorf("after the change: %q, %v", b.Manifest.Description, err)
	}
	now := time.Now()
	if err := os.Chtimes(file, now, now); err != nil {
		t.Fatal(err)
	}
	young, _ := s.load(file)
	if again, _ := s.load(file); again.packed == young.packed {
		t.Error("a file of this very second was taken for settled")
	}
}

func TestWhatIsWrongWithAnArchiveIsNamed(t *testing.T) {
	dir := t.TempDir()
	from := bundle(t, t.TempDir(), "b", "name: b\nrun: {command: [./run.sh]}\n")
	run := filepath.Join(from, "run.sh")
	pack := func(name string) string {
		file := filepath.Join(dir, name)
		if _, err := Pack(from, file); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if b, err := LoadArchive(pack("b.botz")); err != nil || !strings.Contains(b.Launchable().Error(), "there is no run.sh in ") {
		t.Errorf("without its program: %v, launchable: %v", err, b.Launchable())
	}
	if err := os.WriteFile(run, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if b, err := LoadArchive(pack("b.botz")); err != nil || !strings.Contains(b.Launchable().Error(), "try chmod +x and pack it again") {
		t.Errorf("not executable: %v, launchable: %v", err, b.Launchable())
	}
	_, err := LoadArchive(pack("other.botz"))
	if want := `/other.botz/manifest.yaml:1: name: is "b" but the archive is "other", name them alike`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("misnamed: %v, want %s", err, want)
	}
	empty := filepath.Join(dir, "empty.botz")
	f, err := os.Create(empty)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := botz.Pack(f, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := LoadArchive(empty); err == nil || !strings.Contains(err.Error(), "there is no manifest.yaml in it") {
		t.Errorf("empty: %v", err)
	}
}

func TestPackWantsABundleAndAPlaceOutsideOfIt(t *testing.T) {
	dir := t.TempDir()
	from := bundle(t, dir, "b", "name: b\nversion: 1.2\n")
	var inner *InsideError
	t.Chdir(from)
	if _, err := Pack(".", "b.botz"); !errors.As(err, &inner) {
		t.Errorf("Pack into the bundle = %v, want an *InsideError", err)
	}
	if _, err := Pack(from, filepath.Join(from, "..", "b", "b.botz")); !errors.As(err, &inner) {
		t.Errorf("Pack into the bundle by another way = %v, want an *InsideError", err)
	}
	p, err := Pack(".", "../b.botz")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "b.botz")); err != nil || info.Size() != p.Size || info.Mode().Perm() != 0o644 {
		t.Errorf("archive: %v, %v; Pack says %+v", info, err, p)
	}
	again, err := Pack(from, filepath.Join(dir, "again.botz"))
	if err != nil || again.SHA256 != p.SHA256 || len(p.SHA256) != 64 {
		t.Errorf("sums %s and %s, %v", p.SHA256, again.SHA256, err)
	}
	var problems *manifest.Error
	if err := os.WriteFile(filepath.Join(from, "manifest.yaml"), []byte("name: B\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Pack(from, filepath.Join(dir, "b.botz")); !errors.As(err, &problems) {
		t.Errorf("Pack of a broken bundle = %v", err)
	}
	if info, err := os.Stat(filepath.Join(dir, "b.botz")); err != nil || info.Size() != p.Size {
		t.Errorf("a refusal touched the archive: %v", err)
	}
}

func TestWhatIsPackedCanBeReadBack(t *testing.T) {
	dir := t.TempDir()
	from := bundle(t, dir, "b", "name: b\n")
	real := filepath.Join(from, "real.yaml")
	at := filepath.Join(from, manifest.FileName)
	if err := errors.Join(os.Rename(at, real), os.Symlink("real.yaml", at)); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(from); err != nil {
		t.Fatalf("the bundle itself: %v", err)
	}
	to := filepath.Join(dir, "b.botz")
	var refused *botz.Error
	if _, err := Pack(from, to); !errors.As(err, &refused) || refused.Entry != manifest.FileName {
		t.Errorf("Pack of a bundle with a link to its manifest = %v, want it refused", err)
	}
	if err := errors.Join(os.Remove(at), os.Rename(real, at)); err != nil {
		t.Fatal(err)
	}
	if _, err := Pack(from, to); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadArchive(to); err != nil {
		t.Errorf("read back: %v", err)
	}
}

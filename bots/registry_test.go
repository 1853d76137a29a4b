package bots

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/bots/manifest"
)

// bundle writes dir/name/manifest.yaml.
func bundle(t *testing.T, dir, name, body string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, manifest.FileName), []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestResolveLooksThroughTheFoldersInOrderThenTheCatalog(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	first := bundle(t, one, "fix-lint", "name: fix-lint\nversion: 1\n")
	bundle(t, two, "fix-lint", "name: fix-lint\nversion: 2\n")
	own := bundle(t, two, "hello", "name: hello\n")
	r := NewRegistry([]string{filepath.Join(one, "absent"), one, two})

	for slug, want := range map[string]string{"fix-lint": first, "fix_lint": first, "hello": own, "shell": "catalog:shell"} {
		b, err := r.Resolve(slug)
		if err != nil {
			t.Errorf("Resolve(%q): %v", slug, err)
		} else if b.Path() != want {
			t.Errorf("Resolve(%q) found %s, want %s", slug, b.Path(), want)
		}
	}
}

func TestAFileInPlaceOfAFolderHoldsNoBundle(t *testing.T) {
	file := filepath.Join(t.TempDir(), "examples")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NewRegistry([]string{file}).Resolve("hello"); err != nil {
		t.Errorf("hello behind a file named examples: %v", err)
	}
}

func TestAPipeInPlaceOfAManifestIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	bundle(t, dir, "stuck", "")
	pipe := filepath.Join(dir, "stuck", manifest.FileName)
	if err := errors.Join(os.Remove(pipe), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	said := make(chan error, 1)
	go func() {
		_, err := NewRegistry([]string{dir}).Resolve("stuck")
		said <- err
	}()
	select {
	case err := <-said:
		if err == nil || !strings.Contains(err.Error(), pipe+": is no file") {
			t.Errorf("error = %v, want one that names %s", err, pipe)
		}
	case <-time.After(20 * time.Second):
		t.Error("the pipe is waited for")
	}
}

func TestResolveDoesNotPassOverABrokenBundle(t *testing.T) {
	dir := t.TempDir()
	bundle(t, dir, "hello", "name: hello\nrun: {timout: 1}\n")
	_, err := NewRegistry([]string{dir}).Resolve("hello")
	var e *manifest.Error
	if !errors.As(err, &e) {
		t.Errorf("error = %v, want the manifest's problems, not the catalog's hello", err)
	}
}

func TestResolveOfAnUnknownSlugSaysWhereItLooked(t *testing.T) {
	dir := t.TempDir()
	_, err := NewRegistry([]string{dir}).Resolve("helo")
	var e *NotFoundError
	if !errors.As(err, &e) || e.Nearest != "hello" {
		t.Fatalf("error = %#v, want a *NotFoundError that suggests hello", err)
	}
	if want := `no bot "helo" in ` + dir + `, the catalog; did you mean hello?`; err.Error() != want {
		t.Errorf("message = %q, want %q", err, want)
	}
	for _, slug := range []string{"", "..", "../" + filepath.Base(dir), "a/b"} {
		if _, err := NewRegistry([]string{dir}).Resolve(slug); !errors.As(err, &e) {
			t.Errorf("Resolve(%q) = %v, want a *NotFoundError", slug, err)
		}
	}
}

func TestListShowsBrokenAndShadowedBundles(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	bundle(t, one, "good", "name: good\n")
	bundle(t, one, "misnamed", "name: other\n")
	bundle(t, one, ".hidden", "name: hidden\n")
	bundle(t, two, "bad", "name: [\n")
	bundle(t, two, "goo_d", "name: goo_d\n")
	bundle(t, two, "hello", "name: hello\n")
	if err := os.MkdirAll(filepath.Join(two, "no-bundle"), 0o755); err != nil {
		t.Fatal(err)
	}
	bundle(t, two, "good", "name: good\n")

	var got []string
	for _, e := range NewRegistry([]string{one, two}).List() {
		line := strings.NewReplacer(one, "1", two, "2").Replace(e.Path)
		if e.Err != nil {
			line += " broken"
		}
		if e.ShadowedBy != "" {
			line += " < " + strings.NewReplacer(one, "1", two, "2").Replace(e.ShadowedBy)
		}
		if e.Bot.Tier == TierFolder || e.Bot.Slug() == "hello" {
			got = append(got, line)
		}
	}
	want := []string{
		"1/good", "1/misnamed broken", "2/bad broken", "2/goo_d", "2/good < 1/good", "2/hello",
		"catalog:hello < 2/hello",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("listing differs (-want +got):\n%s", diff)
	}
}

func TestAFolderThatCannotBeReadIsAnErrorNotAnAbsence(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "bots")
	if err := os.Symlink(file, file); err != nil { // which not even root can read
		t.Fatal(err)
	}
	r := NewRegistry([]string{file})
	if _, err := r.Resolve("hello"); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Resolve = %v, want an error that names %s", err, file)
	}
	if l := r.List(); len(l) == 0 || l[0].Err == nil || l[0].Path != file {
		t.Errorf("List begins with %+v, want the problem of %s", l, file)
	}
}

func TestLaunchableLooksForTheProgram(t *testing.T) {
	dir := t.TempDir()
	path := bundle(t, dir, "b", "name: b\nrun: {command: [./run.sh]}\n")
	b, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Launchable(); err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Launchable without the program = %v, want it named as missing", err)
	}
	script := filepath.Join(path, "run.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := b.Launchable(); err == nil || !strings.Contains(err.Error(), "chmod +x") {
		t.Errorf("Launchable of a file without x = %v, want a hint at chmod", err)
	}
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := b.Launchable(); err != nil {
		t.Errorf("Launchable = %v, want nil", err)
	}
	b.Manifest.Run = manifest.Run{Command: []string{"/no/such/program"}, Install: "apt install it"}
	if err := b.Launchable(); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "to install it: apt install it") {
		t.Errorf("Launchable of a full path that is not there = %v", err)
	}
}

func TestLaunchableLooksForTheProgramOnPath(t *testing.T) {
	bin := t.TempDir()
	tool := filepath.Join(bin, "tidytool")
	b := Bot{Manifest: manifest.Manifest{Name: "b", Enabled: true, Run: manifest.Run{Command: []string{"tidytool"}}}}
	var missing *MissingProgramError
	for install, want := range map[string]string{
		"":                 "bot b: its program tidytool is not found on PATH; install it or give its full path in run.command",
		"apt install tidy": "bot b: its program tidytool is not found on PATH; to install it: apt install tidy",
	} {
		b.Manifest.Run.Install = install
		if err := b.LaunchableOn(bin); !errors.As(err, &missing) || err.Error() != want {
			t.Errorf("LaunchableOn = %v, want %q", err, want)
		}
	}
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := b.LaunchableOn(bin); !errors.As(err, &missing) {
		t.Errorf("a file that cannot be executed passes for the program: %v", err)
	}
	if err := os.Chmod(tool, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := b.LaunchableOn("/nowhere:" + bin); err != nil {
		t.Error(err)
	}
	t.Chdir(bin)
	if err := b.LaunchableOn(".:"); !errors.As(err, &missing) {
		t.Errorf("a relative entry of PATH was searched: %v", err)
	}
	b.Manifest.Run.Env = map[string]string{"PATH": bin}
	if err := b.LaunchableOn("/nowhere"); err != nil {
		t.Errorf("the PATH of run.env was not searched: %v", err)
	}
}

func TestErrorOfAnUnknownSlugLeavesTheSearchPathAlone(t *testing.T) {
	paths := append(make([]string, 0, 2), t.TempDir())
	_, err := NewRegistry(paths).Resolve("nobody")
	if err == nil || !strings.Contains(err.Error(), "the catalog") {
		t.Fatalf("error: %v", err)
	}
	if behind := paths[:2][1]; behind != "" {
		t.Errorf("the caller's slice got %q behind its end", behind)
	}
}

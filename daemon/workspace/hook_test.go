package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"iterion/daemon/dispatch"
	"iterion/native/board"
)

func script(text string) *Hook { return &Hook{Script: text, Timeout: time.Minute} }

func read(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

func TestAfterCreateRunsOncePerFolderAndAgainUntilItSucceeds(t *testing.T) {
	m := open(t, Options{Env: []string{"PATH=" + os.Getenv("PATH")}, Hooks: Hooks{
		AfterCreate: script("echo create >> log; test -e ../ok"), BeforeRun: script("echo run >> log"),
	}})
	_, err := m.Prepare(t.Context(), board.Issue{ID: "c"}, "r1", false)
	if !errors.Is(err, dispatch.ErrHook) || !strings.Contains(err.Error(), "after_create") {
		t.Fatalf("got %v", err)
	}
	if err := os.WriteFile(filepath.Join(m.root, "ok"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := prepare(t, m, "c", "r1")
	prepare(t, m, "c", "r2")
	if got := read(t, dir, "log"); got != "create\ncreate\nrun\nrun\n" {
		t.Errorf("hooks ran as %q", got)
	}
}

// A folder from before there was a hook is not new.
func TestAfterCreateLeavesOldFoldersAlone(t *testing.T) {
	m := open(t, Options{})
	dir := prepare(t, m, "c", "r1")
	m.SetHooks(Hooks{AfterCreate: script("touch created")})
	prepare(t, m, "c", "r2")
	if _, err := os.Stat(filepath.Join(dir, "created")); !os.IsNotExist(err) {
		t.Errorf("it ran: %v", err)
	}
}

func TestFailedHookSaysWhichAndWhatItPrinted(t *testing.T) {
	m := open(t, Options{Hooks: Hooks{BeforeRun: script("echo first; echo 'no network' >&2; exit 3")}})
	_, err := m.Prepare(t.Context(), board.Issue{ID: "c"}, "r", false)
	if !errors.Is(err, dispatch.ErrHook) || !strings.Contains(err.Error(), `hook before_run: exit status 3: "no network"`) {
		t.Errorf("got %v", err)
	}
}

func TestHookIsToldTheCardAndTheRunAndNothingElse(t *testing.T) {
	t.Setenv("SECRET_CANARY", "hunter2")
	m := open(t, Options{Env: []string{"PATH=" + os.Getenv("PATH")}, Hooks: Hooks{BeforeRun: script("env > ../env")}})
	is := board.Issue{ID: "native:0a1b2c3d-0000", State: "in_progress"}
	dir, err := m.Prepare(t.Context(), is, "r1", false)
	if err != nil {
		t.Fatal(err)
	}
	env := read(t, m.root, "env")
	for _, want := range []string{
		"ITERION_ISSUE_ID=" + is.ID, "ITERION_ISSUE_IDENTIFIER=" + board.ShortID(is.ID), "ITERION_ISSUE_STATE=in_progress",
		"ITERION_RUN_ID=r1", "ITERION_WORKSPACE=" + dir,
	} {
		if !strings.Contains("\n"+env, "\n"+want+"\n") {
			t.Errorf("no %s in\n%s", want, env)
		}
	}
	if strings.Contains(env, "hunter2") {
		t.Errorf("the environment of the daemon came through:\n%s", env)
	}
}

func TestHookThatTakesTooLongIsEndedWithAllItStarted(t *testing.T) {
	m := open(t, Options{Env: []string{"PATH=" + os.Getenv("PATH")}, Hooks: Hooks{BeforeRun: &Hook{
		Script: "sh -c 'trap \"\" TERM; echo $$ > ../pid; while :; do sleep 1; done' & wait", Timeout: 500 * time.Millisecond,
	}}})
	_, err := m.Prepare(t.Context(), board.Issue{ID: "c"}, "r", false)
	if !errors.Is(err, dispatch.ErrHook) || !strings.Contains(err.Error(), "longer than 500ms") {
		t.Fatalf("got %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(read(t, m.root, "pid")))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); syscall.Kill(pid, 0) == nil && !zombie(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("pid %d is still there", pid)
		}
	}
}

// zombie reports whether a process is dead and not reaped yet, by whoever took it
// over.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestHookThatLeavesSomethingInTheBackgroundHasSucceeded(t *testing.T) {
	m := open(t, Options{Env: []string{"PATH=" + os.Getenv("PATH")}, Hooks: Hooks{BeforeRun: script("sleep 8 &")}})
	began := time.Now()
	prepare(t, m, "c", "r")
	if took := time.Since(began); took > 6*time.Second {
		t.Errorf("it was waited for %s", took)
	}
}

func TestCancelledHookIsNoFailureOfTheCard(t *testing.T) {
	m := open(t, Options{Hooks: Hooks{BeforeRun: script("sleep 60")}})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := m.Prepare(ctx, board.Issue{ID: "c"}, "r", false); !errors.Is(err, context.Canceled) || errors.Is(err, dispatch.ErrHook) {
		t.Errorf("got %v", err)
	}
}

func TestHooksBehindTheRunAreOnlyLogged(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: without proof that nobody is inside nothing is removed")
	}
	m := open(t, Options{Persist: CleanupOnDone, Env: []string{"PATH=" + os.Getenv("PATH")}, Hooks: Hooks{
		AfterRun:     script("echo after $ITERION_RUN_ID >> ../log; exit 1"),
		BeforeRemove: &Hook{Path: "/bin/false", Timeout: time.Minute},
	}})
	dir := prepare(t, m, "c", "r")
	m.Returned(t.Context(), board.Issue{ID: "c"}, "r")
	if err := m.Release(t.Context(), board.Issue{ID: "c"}, "r", true, true); err != nil {
		t.Fatal(err)
	}
	if got := read(t, m.root, "log"); got != "after r\n" {
		t.Errorf("log is %q", got)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	m.Returned(t.Context(), board.Issue{ID: "c"}, "r") // no folder, no hook
	if got := read(t, m.root, "log"); got != "after r\n" {
		t.Errorf("log is %q", got)
	}
}

func TestRunThatGoesOnNeedsTheFolderThatItKnows(t *testing.T) {
	m := open(t, Options{})
	again := func(run string) error {
		_, err := m.Prepare(t.Context(), board.Issue{ID: "c"}, run, true)
		return err
	}
	if err := again("r1"); !errors.Is(err, dispatch.ErrNotResumable) {
		t.Errorf("without a folder: %v", err)
	}
	dir := prepare(t, m, "c", "r1")
	prepare(t, m, "c", "r2")
	for _, run := range []string{"r1", "r2"} {
		if err := again(run); err != nil {
			t.Errorf("run %s: %v", run, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	prepare(t, m, "c", "r3")
	if err := again("r1"); !errors.Is(err, dispatch.ErrNotResumable) {
		t.Errorf("in a folder that was made anew: %v", err)
	}
}

// A run of a daemon with another root goes on in the folder that it knows.
func TestRunOfAnotherRootGoesOnInItsFolder(t *testing.T) {
	theirs, ours := open(t, Options{}), open(t, Options{})
	dir := prepare(t, theirs, "native:1", "r1")
	is := board.Issue{ID: "native:1", LastRunID: "r1", LastWorkdir: dir}
	if got, err := ours.Prepare(t.Context(), is, "r1", true); err != nil || got != dir {
		t.Errorf("got %s, %v", got, err)
	}
	for name, is := range map[string]board.Issue{
		"another run":         {ID: "native:1", LastRunID: "r2", LastWorkdir: dir},
		"another card":        {ID: "native:2", LastRunID: "r1", LastWorkdir: dir},
		"a folder of its own": {ID: "native:1", LastRunID: "r1", LastWorkdir: filepath.Join(t.TempDir(), filepath.Base(dir))},
	} {
		if got, err := ours.Prepare(t.Context(), is, "r1", true); !errors.Is(err, dispatch.ErrNotResumable) {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
	if fresh := prepare(t, ours, "native:1", "r3"); fresh == dir {
		t.Error("a fresh run works in the folder of the other root")
	}
}

package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"iterion/native/board"
)

// A host that refuses file events, by either of its limits, costs a daemon no
// change: it polls, and says that it does. The dispatcher's own poll is far off.
func TestDaemonOnAHostThatRefusesWatches(t *testing.T) {
	for _, limit := range []string{"max_inotify_instances", "max_inotify_watches"} {
		t.Run(limit, func(t *testing.T) {
			w := newWorld(t)
			d := w.ready(w.launch(w.refused(limit, "daemon", w.slowPoll())))
			if status := w.ok("daemon", "status"); !strings.Contains(status, "polling: watch ") {
				t.Errorf("the status says nothing of it:\n%s", status)
			}
			w.shell("made by another process", "true")
			w.eventually("the card is worked", func() bool { return w.inState(board.StateReview) == 1 })
			w.settled(1)
			d.term()
		})
	}
}

// The folder of the cards goes, and the next writer makes another.
func TestDaemonWhoseCardFolderIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	d := w.ready(w.start("daemon", w.slowPoll()))
	says := func(what string) {
		t.Helper()
		w.eventually("the watcher says "+what, func() bool { return strings.Contains(w.ok("daemon", "status"), what) })
	}
	if err := os.RemoveAll(w.layout().Issues()); err != nil {
		t.Fatal(err)
	}
	says("polling: watch ")
	w.shell("made by another process", "true")
	w.eventually("the card is worked", func() bool { return w.inState(board.StateReview) == 1 })
	says("watching")
	d.term()
	w.whole()
}

// slowPoll is a config under which only the watcher finds anything.
func (w *world) slowPoll() string {
	w.t.Helper()
	config := w.path("slow.yaml")
	if err := os.WriteFile(config, []byte("polling: {interval_ms: 3600000}\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return config
}

// refused is a call of the program in a user namespace of its own, where a limit
// of the host is nothing.
func (w *world) refused(limit string, args ...string) *exec.Cmd {
	w.t.Helper()
	plain := w.command(args...)
	cmd := exec.Command("sh", append([]string{"-c", `echo 0 >/proc/sys/user/` + limit + ` && exec "$0" "$@"`, plain.Path}, args...)...)
	cmd.Dir, cmd.Env = plain.Dir, plain.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	try := exec.Command("true")
	try.SysProcAttr = cmd.SysProcAttr
	if err := try.Run(); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		w.t.Skipf("no user namespaces here: %v", err)
	}
	return cmd
}

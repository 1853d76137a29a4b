package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"iterion/bots"
	"iterion/native/proctree"
	"iterion/native/run"
)

func TestSupervisorKilledBeforeItsBotStarted(t *testing.T) {
	b := newLab(t)
	// A supervisor that never gets anywhere, holding the lock.
	stuck := b.path("stuck")
	b.must(os.WriteFile(stuck, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700))
	b.l.Exe = stuck
	id, p := b.launch(b.bot("touch " + b.path("ran")))
	if rec, err := Recover(context.Background(), b.runs, id); err != nil || rec.Status != run.Queued {
		t.Fatalf("recovered a run that has a supervisor: %v, %v", rec.Status, err)
	}
	b.must(unix.Kill(p.PID, unix.SIGKILL))
	<-p.Done()
	b.want(b.await(id), run.Failed, run.CodeSupervisorLost)
	b.wantOutcomeEvents(id, 1)
	if b.exists("ran")() {
		t.Error("the bot ran")
	}
}

func TestSupervisorKilledWhileItsBotRan(t *testing.T) {
	b := newLab(t)
	script := "(setsid sleep 600 &)\n(env -i sleep 600 &)\nsleep 0.2\ntouch " + b.path("up") + "\nsleep 600"
	id, p := b.launch(b.bot(script))
	b.eventually("bot started", b.exists("up"))
	b.must(unix.Kill(p.PID, unix.SIGKILL))
	<-p.Done()
	rec, err := b.runs.Get(id)
	b.must(err)
	owner := proctree.Identity(*rec.Owner)
	inSession := func() []proctree.Process {
		left, err := proctree.Orphans(proctree.BySession(owner), nil)
		b.must(err)
		return left
	}
	if len(inSession()) < 2 || len(b.processes(id)) < 2 {
		t.Fatal("nothing survived, so the test shows nothing")
	}
	var wait sync.WaitGroup
	for range 4 { // all who notice at once
		wait.Go(func() { b.want(b.await(id), run.FailedResumable, run.CodeProcessOrphaned) })
	}
	wait.Wait()
	if left := append(inSession(), b.processes(id)...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	b.wantOutcomeEvents(id, 1)
}

func TestCancelOutlivesTheSupervisor(t *testing.T) {
	b := newLab(t)
	id, p := b.launch(b.bot("touch " + b.path("up") + "; sleep 600"))
	b.eventually("bot started", b.exists("up"))
	b.must(unix.Kill(p.PID, unix.SIGSTOP))
	b.must(RequestStop(b.runs, id, run.Intent{Verb: run.VerbCancel, By: "ana"}))
	b.must(unix.Kill(p.PID, unix.SIGKILL))
	<-p.Done()
	b.want(b.await(id), run.Cancelled, "")
}

func TestRecoverMakesUpForALostOutcomeEvent(t *testing.T) {
	b := newLab(t)
	id, p := b.launch(b.bot("true"))
	<-p.Done()
	b.must(os.Remove(filepath.Join(b.runs.Path(id), run.EventsFile)))
	for range 2 {
		_, err := Recover(context.Background(), b.runs, id)
		b.must(err)
	}
	b.wantOutcomeEvents(id, 1)
}

func TestRunOfAnotherHostIsHeld(t *testing.T) {
	b := newLab(t)
	id, p := b.launch(b.bot("true"))
	<-p.Done()
	rec, err := b.runs.Get(id)
	b.must(err)
	rec.Status = run.Running
	rec.Owner.HostID, rec.Owner.BootID = "elsewhere", "elsewhere"
	b.must(b.runs.Save(rec))
	rec, err = Recover(context.Background(), b.runs, id)
	if !errors.Is(err, proctree.ErrElsewhere) || !rec.Doubtful() {
		t.Errorf("recovered: %v, %+v", err, rec)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := Await(ctx, b.runs, id); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("await: %v", err)
	}
	rec.Owner = nil // lets the cleanup settle it
	b.must(b.runs.Save(rec))
}

func TestDoubtShowsUntilTheTreeIsGone(t *testing.T) {
	b := newLab(t)
	rec := run.Record{ID: run.NewID(), Bot: "x", Status: run.Running}
	lock, err := b.runs.Create(context.Background(), rec, nil)
	b.must(err)
	defer lock.Release()
	s := &supervisor{dir: b.runs.Path(rec.ID), runs: b.runs, rec: rec}
	tries := 0
	stubborn := func() error { // as if a process were in uninterruptible sleep
		if tries++; tries > 1 {
			return nil
		}
		return &proctree.SurvivorsError{Left: []proctree.Process{{PID: 4711}}}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.endTree(&proctree.Reaper{Empty: make(chan struct{})}, stubborn)
	}()
	b.eventually("doubt", func() bool {
		now, err := b.runs.Get(rec.ID)
		return err == nil && now.Doubtful() && strings.Contains(now.Error, "4711")
	})
	<-done
	b.must(s.rec.Become(run.Outcome{Status: run.Finished}, time.Now()))
	b.must(b.runs.Save(s.rec))
	b.want(s.rec, run.Finished, "")
}

func TestRunWhoseFolderIsRemovedEndsItself(t *testing.T) {
	b := newLab(t)
	id := b.start(b.bot("touch " + b.path("up") + "; (setsid sleep 600 &); sleep 600"))
	b.eventually("the bot runs", b.exists("up"))
	awaited := make(chan error, 1)
	go func() {
		_, err := Await(context.Background(), b.runs, id)
		if left := b.processes(id); len(left) > 0 {
			err = fmt.Errorf("processes %v live, %w", left, err)
		}
		awaited <- err
	}()
	b.eventually("the record says who supervises", func() bool {
		rec, err := b.runs.Get(id)
		return err == nil && rec.Owner != nil
	})
	time.Sleep(2 * laterLook) // the wait has seen it too
	b.must(os.Rename(b.runs.Path(id), b.path("away")))
	if err := <-awaited; !errors.Is(err, run.ErrNotFound) || strings.Contains(err.Error(), "processes") {
		t.Errorf("await: %v, want a run that is not found and has no processes", err)
	}
	b.eventually("no process is left", func() bool { return len(b.processes(id)) == 0 })
}

func TestUnreadableRunWithoutASupervisorLeavesNoProcess(t *testing.T) {
	b := newLab(t)
	id, p := b.launch(b.bot("touch " + b.path("up") + "; (setsid sleep 600 &); sleep 600"))
	b.eventually("the bot runs", b.exists("up"))
	good, err := b.runs.Get(id)
	b.must(err)
	record := filepath.Join(b.runs.Path(id), run.RecordFile)
	b.must(os.WriteFile(record, []byte("{"), 0o600))
	b.must(unix.Kill(p.PID, unix.SIGKILL))
	<-p.Done()
	var unreadable *run.UnreadableError
	if _, err := Await(context.Background(), b.runs, id); !errors.As(err, &unreadable) {
		t.Errorf("await: %v, want a record that cannot be read", err)
	}
	if left := b.processes(id); len(left) > 0 {
		t.Errorf("processes %v outlived their supervisor", left)
	}
	if text, err := os.ReadFile(record); err != nil || string(text) != "{" {
		t.Errorf("the record is %q, %v; want it left alone", text, err)
	}
	b.must(b.runs.Save(good)) // lets the cleanup settle it
}

func TestVerdictWaitsUntilItCanBeWritten(t *testing.T) {
	b := newLab(t)
	id := b.start(b.bot("while [ ! -e "+b.path("go")+" ]; do sleep 0.02; done\necho '{\"type\":\"output\",\"data\":{\"a\":1}}'", "protocol: jsonl"))
	b.eventually("the bot runs", func() bool {
		rec, err := b.runs.Get(id)
		return err == nil && rec.Status == run.Running
	})
	inTheWay := filepath.Join(b.runs.Path(id), run.OutputFile)
	b.must(os.MkdirAll(filepath.Join(inTheWay, "full"), 0o700)) // as good as a full disk, and root feels it too
	b.must(os.WriteFile(b.path("go"), nil, 0o600))
	b.eventually("the supervisor complains", func() bool {
		said, _ := os.ReadFile(filepath.Join(b.runs.Path(id), supervisorLog))
		return len(said) > 0
	})
	if rec, err := Recover(context.Background(), b.runs, id); err != nil || rec.Status != run.Running {
		t.Errorf("run is %s, %v; want it running while its verdict cannot be written", rec.Status, err)
	}
	b.must(os.RemoveAll(inTheWay))
	b.want(b.await(id), run.Finished, "")
	if out, err := b.runs.Output(id); err != nil || len(out) != 1 {
		t.Errorf("output %v, %v", out, err)
	}
}

func TestMachineThatCannotStartASupervisorIsNotTheBotsFault(t *testing.T) {
	b := newLab(t)
	b.l.Exe = b.path("no-such-program")
	b.want(b.end(b.bot("true")), run.Failed, run.CodeSupervisorLost)
}

func TestErrorsOfTheMachineAreTold(t *testing.T) {
	for err, bots := range map[error]bool{
		unix.EAGAIN: false, unix.ENOMEM: false, unix.ENOSPC: false, unix.ENFILE: false,
		unix.ENOENT: true, unix.ENOEXEC: true, unix.E2BIG: true, unix.EACCES: true,
	} {
		var unfit *launchError
		if got := errors.As(unstartable("bot", err), &unfit); got != bots {
			t.Errorf("%v is the bot's fault: %t, want %t", err, got, bots)
		}
	}
}

// launchNested starts a run from inside a bot and does not wait for it.
func launchNested(args []string) int {
	bot, err := bots.Load(args[1])
	if err == nil {
		l := &Launcher{Runs: run.Open(args[0], run.Options{NoFsync: true}), NoFsync: true, Grace: 300 * time.Millisecond}
		_, err = l.Start(context.Background(), Spec{RunID: args[2], Bot: bot})
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func TestNestedDetachedRunSurvivesItsParent(t *testing.T) {
	b := newLab(t)
	inner := b.bot("touch " + b.path("inner") + "; while [ ! -e " + b.path("go") + " ]; do sleep 0.05; done")
	innerID := run.NewID()
	exe, err := os.Executable()
	b.must(err)
	script := fmt.Sprintf("%s launch-nested %s %s %s || exit 1\nwhile [ ! -e %s ]; do sleep 0.05; done\n(setsid sleep 600 &)",
		exe, filepath.Join(b.root, "runs"), inner.Dir, innerID, b.path("inner"))
	rec := b.end(b.bot(script))
	b.want(rec, run.Finished, "")
	if held, err := b.runs.Locked(innerID); err != nil || !held {
		t.Fatalf("the nested run lost its supervisor: %v", err)
	}
	b.must(os.WriteFile(b.path("go"), nil, 0o600))
	b.want(b.await(innerID), run.Finished, "")
}

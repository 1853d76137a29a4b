package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"iterion/native"
	"iterion/native/board"
)

// Holders that this program knows nothing of claim two cards and are killed. One of
// them was given to a run, which finished: its card is filed for it, and nothing runs
// again. The other was only claimed: it is set free, and worked like any other.
func TestWatchdogFreesTheCardsOfKilledHolders(t *testing.T) {
	w := newWorld(t)
	w.env = []string{"ITERION_BOARD_CLAIM_REAPER=on"}
	worked, waiting := w.shell("worked", "echo again"), w.shell("waiting", "echo first")
	s, err := native.Open(native.Layout{Root: filepath.Join(w.dir, native.DirName)}, native.Options{NoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, id := range []string{worked, waiting} {
		w.holdAndDie(id)
	}
	ctx := context.Background()
	is, err := s.Get(ctx, worked)
	if err != nil || is.Claim == "" {
		t.Fatalf("claimed by %q, %v", is.Claim, err)
	}
	// The run came after the claim, as its holder would have had it.
	w.ok("-q", "run", "shell", "--var", "command=echo done")
	done := w.runs()[0]
	if _, err := s.SetLastRun(ctx, worked, is.Fence(), board.RunRef{RunID: done.ID}, board.Cause{}); err != nil {
		t.Fatal(err)
	}
	w.eventually("the leases have ended", func() bool {
		l, err := s.List(ctx, board.Query{ExpiredBefore: time.Now()})
		return err == nil && len(l.Issues) == 2
	})

	d := w.daemon()
	for _, id := range []string{worked, waiting} {
		w.eventually("card "+id+" is settled", func() bool {
			is := w.issue(id)
			return is.State == board.StateReview && is.Claim == ""
		})
	}
	if is := w.issue(worked); is.StateReason != board.ReasonRunFinished || is.LastRunID != done.ID || len(is.Runs) != 1 {
		t.Errorf("the worked card: reason %q, runs %v", is.StateReason, is.Runs)
	}
	if is := w.issue(waiting); len(is.Runs) != 1 {
		t.Errorf("the waiting card has %d runs", len(is.Runs))
	}
	d.term()
	w.whole()
}

// holdAndDie claims a card for a process that is then killed.
func (w *world) holdAndDie(id string) {
	w.t.Helper()
	holder := w.command("issue", "claim", id, "--as", "somebody-else", "--lease", "1s")
	sh := exec.Command("sh", append([]string{"-c", `"$@" && exec sleep 1000`, "sh"}, holder.Args...)...)
	sh.Dir, sh.Env = holder.Dir, holder.Env
	p := w.launch(sh)
	w.eventually("card "+id+" is claimed", func() bool { return w.issue(id).Claim != "" })
	p.kill9()
}

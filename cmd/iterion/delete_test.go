package main

import (
	"os"
	"strings"
	"testing"

	"iterion/native/board"
	"iterion/native/run"
)

// A card is deleted from under its bot: nothing of the run is left, the daemon
// lets go of it and works on.
func TestI10_ForcedDeleteLeavesNothingRunning(t *testing.T) {
	w := newWorld(t)
	up := w.path("up")
	card := w.shell("to go", `echo up >`+up+`; setsid sleep 600 & exec sleep 600`)
	w.daemon()
	w.eventually("the bot runs", func() bool { return w.lines(up) == 1 })

	if got := w.run("issue", "delete", card); got.code != 4 {
		t.Errorf("without --force: exit %d: %s", got.code, got.err)
	}
	w.ok("issue", "delete", card, "--force")
	if all := w.issues(); len(all) != 0 {
		t.Errorf("the board holds %v", all)
	}
	runs := w.runs()
	if len(runs) != 1 || runs[0].Status != run.Cancelled {
		t.Fatalf("runs %+v, want one that was cancelled", runs)
	}
	if left := w.processes("ITERION_RUN_ID=" + runs[0].ID); len(left) != 0 {
		t.Errorf("processes %v of the run are left", left)
	}
	w.eventually("the daemon's journal is empty", func() bool {
		data, err := os.ReadFile(w.path(".iterion", "dispatcher", "claims.json"))
		return err == nil && strings.TrimSpace(string(data)) == "[]"
	})
	w.shell("next", "true")
	w.eventually("the next card is done", func() bool { return w.inState(board.StateReview) == 1 })
	if n := len(w.runs()); n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
}

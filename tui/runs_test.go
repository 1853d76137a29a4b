package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"iterion/daemon/control"
	"iterion/native/run"
)

// waitingRun is the sample's card 6 with a run that asks something.
func waitingRun(d *driver) {
	c := cardIn(6, "awaiting_input", "Choose a licence for the example bots", bot("legal"), lastRun(6))
	c.AwaitingInput = true
	d.frame(control.Frame{Cards: []control.Card{c}, Runs: []run.Record{runOf(6, 6, "legal", run.PausedHuman)}})
}

func TestAQuestionIsAnsweredInPlace(t *testing.T) {
	d := live(t, 100, 30)
	waitingRun(d)
	d.press("3", "/")
	d.text("legal")
	d.press("enter", "A")
	d.wants("Ship it?", "(choose)", "dev", "Anything else")
	d.press("ctrl+s")
	d.wants("choose one")
	d.press("right", "tab", "right", "tab")
	d.text("go on")
	d.press("enter")
	asked(t, d, `answer `+runID(6)+` {"note":"go on","ship":true,"where":"prod"} by tester`)
}

func TestHalfAnAnswerIsKept(t *testing.T) {
	d := live(t, 100, 30)
	waitingRun(d)
	d.press("3", "/")
	d.text("legal")
	d.press("enter", "A", "tab", "tab")
	d.text("half of it")
	d.press("esc", "A")
	d.wants("half of it")
}

func TestRunsArePausedAndGoOn(t *testing.T) {
	d := live(t, 100, 30)
	d.press("3", "P")
	asked(t, d, "pause run "+runID(4))
	d.frame(control.Frame{Runs: []run.Record{runOf(4, 4, "fix-bug", run.PausedOperator)}})
	d.press("P")
	asked(t, d, "resume run "+runID(4))
	d.frame(control.Frame{Runs: []run.Record{runOf(4, 4, "fix-bug", run.Finished)}})
	d.press("P")
	d.wants("this run has ended")
}

func TestLongRowsAreWrappedOnDemand(t *testing.T) {
	d := live(t, 60, 20)
	d.src.setLog(runID(4), "short\n"+strings.Repeat("0123456789", 12)+"END\n")
	d.press("3", "enter")
	d.lacks("END")
	d.press("w")
	d.wants("END", "short")
	d.press("w")
	d.lacks("END")
}

// bigLog is a log of some megabytes whose lines tell their numbers.
func bigLog(lines int) string {
	var b strings.Builder
	for n := range lines {
		fmt.Fprintf(&b, "line %d %s\n", n, strings.Repeat("x", 90))
	}
	return b.String()
}

func TestTheWholeLogIsSearched(t *testing.T) {
	d := live(t, 100, 30)
	d.src.setLog(runID(4), bigLog(60_000))
	d.press("3", "enter")
	d.until("line 59999")
	d.press("/")
	d.text("LINE 123 ")
	d.press("enter")
	d.until("line 123 x")
	d.wants("at a match, G goes to the end", "line 124 x")
	d.press("G")
	d.until("line 59999")
	d.press("/")
	d.text("nowhere to be found")
	d.press("enter")
	d.until("no further match")
}

func TestASearchIsEndedByEsc(t *testing.T) {
	d := live(t, 100, 30)
	d.src.setLog(runID(4), bigLog(60_000))
	d.press("3", "enter")
	d.until("line 59999")
	s := d.m.screens["runs"]
	_ = s.Update(d.m.env, keyMsg("/"))
	d.text("line 123 ")
	if _, cmd := d.m.Update(keyMsg("enter")); cmd == nil { // its answer is still on the way
		t.Fatal("nothing is searched")
	}
	d.wants(`searching "line 123`)
	d.press("esc")
	d.lacks("searching")
	d.wants("line 59999")
}

func TestShellNeedsAFolder(t *testing.T) {
	d := live(t, 100, 30)
	d.press("3", "!")
	d.wants("this run has no folder")
	gone := filepath.Join(t.TempDir(), "gone")
	rec := runOf(4, 4, "fix-bug", run.Running)
	rec.Workdir = gone
	d.frame(control.Frame{Runs: []run.Record{rec}})
	d.press("!")
	d.wants("not here any more")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, cmd := d.m.Update(keyMsg("!")); cmd == nil {
		t.Error("no shell is opened in a folder that is there")
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"iterion/native/board"
	"iterion/native/run"
)

// The stories that people live at the screen, in a real terminal.

// leave quits the screen and wants a clean end.
func (term *terminal) leave() {
	term.w.t.Helper()
	term.keys("q")
	if code := term.exit(); code != "0" {
		term.w.t.Errorf("the screen's exit code is %s", code)
	}
}

// lacks waits until a text is gone from the screen.
func (term *terminal) lacks(text string) {
	term.w.t.Helper()
	term.w.eventually("the screen no longer shows "+text, func() bool {
		seen := term.screen()
		return seen != "" && !strings.Contains(seen, text)
	})
}

// An empty folder offers an example board, and its first card runs to review.
func TestStoryFirstStart(t *testing.T) {
	w := bareWorld(t)
	term := w.terminal(140, 40)
	term.shows("There is no board in this folder yet.")
	term.keys("y")
	w.eventually("a card has come to review", func() bool {
		return term.column("Say hello", "Ready", "Review") == "Review" || strings.Contains(term.screen(), "finished")
	})
	term.keys("q")
	term.w.eventually("the screen asks or ends", func() bool { return term.screen() == "" || strings.Contains(term.screen(), "Leaving stops") })
	if term.screen() != "" {
		term.keys("2")
	}
	if code := term.exit(); code != "0" {
		t.Errorf("the screen's exit code is %s", code)
	}
	if w.inState(board.StateReview) == 0 {
		t.Errorf("no card is in review: %+v", w.issues())
	}
}

// A card is written, watched, cancelled, explained, cleared and run again.
func TestStoryCreateCancelRerun(t *testing.T) {
	w := newWorld(t)
	d := w.daemon()
	goOn := filepath.Join(w.dir, "go-on")
	term := w.terminal(140, 40)
	term.shows("The board is empty.")
	term.keys("n")
	term.shows("New card")
	term.keys("-l", "Count the sheep")
	term.keys("Tab")
	term.keys("-l", "One by one.")
	term.keys("Tab")
	w.eventually("the bot is chosen", func() bool {
		if strings.Contains(term.screen(), "‹ shell ›") {
			return true
		}
		term.keys("Right")
		return false
	})
	term.keys("Tab")
	term.keys("-l", "command=echo first sheep; until test -e "+goOn+"; do sleep 0.05; done")
	term.keys("Tab")
	w.eventually("the column is chosen", func() bool {
		if strings.Contains(term.screen(), "‹ Ready ›") {
			return true
		}
		term.keys("Right")
		return false
	})
	term.keys("C-s")
	w.eventually("it runs", func() bool { return term.column("Count the sheep", "Ready", "In progress", "Review") == "In progress" })
	term.keys("o")
	term.shows("first sheep")
	term.keys("x")
	term.shows("Cancel this run?")
	term.keys("Enter") // which says no
	term.lacks("Cancel this run?")
	term.keys("x")
	term.shows("Cancel this run?")
	term.keys("y")
	term.shows("cancelled")
	term.keys("1", "Enter")
	term.shows("other rules pass") // the verdicts of the guard table
	term.shows("cancelled by tester")
	term.keys("L")
	term.shows("Clear the last run?")
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	term.keys("y")
	w.eventually("it has run again", func() bool { return w.inState(board.StateReview) == 1 })
	if runs := w.runs(); len(runs) != 2 {
		t.Errorf("%d runs, want the cancelled one and another", len(runs))
	}
	term.leave()
	d.term()
}

// A run asks, is answered in a form on the screen, and finishes.
func TestStoryAnswerAQuestion(t *testing.T) {
	w := newWorld(t)
	w.bot("asker", "", `
if [ "$ITERION_RESUME" = 1 ]; then cat "$ITERION_ANSWERS"; exit; fi
iterion report ask --question 'Which way?' --field 'way:left|right' --field 'note:text?'
`)
	d := w.daemon()
	w.card("a fork in the road", "asker")
	term := w.terminal(140, 40)
	term.shows("Which way?")
	w.eventually("the form is open", func() bool { // the cursor finds its card once the column holds it
		term.keys("A")
		return strings.Contains(term.screen(), "way *")
	})
	term.keys("Right", "Tab")
	term.shows("‹ left ›")
	term.keys("-l", "scenic")
	term.keys("Enter")
	w.eventually("it has finished", func() bool { return w.inState(board.StateReview) == 1 })
	recs := w.runs()
	if len(recs) != 1 || recs[0].Status != run.Finished {
		t.Fatalf("runs %+v", recs)
	}
	if log := w.ok("runs", "logs", recs[0].ID); !strings.Contains(log, `"left"`) || !strings.Contains(log, "scenic") {
		t.Errorf("the bot was told %s", log)
	}
	term.leave()
	d.term()
}

// Dispatch that was paused at the screen is still paused when one comes back.
func TestStoryPauseQuitReattach(t *testing.T) {
	w := newWorld(t)
	d := w.daemon()
	term := w.terminal(120, 30, "--attach")
	term.shows("The board is empty.")
	term.keys("p")
	term.shows("Pause dispatch")
	term.keys("-l", "gone fishing")
	term.keys("Enter")
	term.shows("paused by")
	term.leave()
	if err := os.Remove(term.code); err != nil {
		t.Fatal(err)
	}
	id := w.shell("waits", "echo hi")
	term = w.terminal(120, 30, "--attach")
	term.shows("gone fishing")
	if is := w.issue(id); is.State != board.StateReady {
		t.Errorf("the card is in %s although dispatch is paused", is.State)
	}
	term.keys("p")
	w.eventually("it has run", func() bool { return w.issue(id).State == board.StateReview })
	term.leave()
	d.term()
}

// Ten cards are found, marked, moved in one go, and taken back.
func TestStoryMarkMoveUndo(t *testing.T) {
	w := newWorld(t)
	for range 10 {
		w.ok("issue", "create", "--title", "chore", "--state", "backlog")
	}
	w.ok("issue", "create", "--title", "other", "--state", "backlog")
	d := w.daemon()
	term := w.terminal(120, 40, "--attach")
	term.shows("chore")
	term.keys("/")
	term.keys("-l", "chore")
	term.keys("Enter")
	term.shows("10 of 11")
	term.keys("C-a")
	term.shows("10 marked")
	term.keys("m")
	term.shows("Move 10 cards to")
	w.eventually("review is chosen", func() bool {
		if strings.Contains(term.screen(), "▌7") {
			return true
		}
		term.keys("Down")
		return false
	})
	term.keys("Enter")
	w.eventually("they are in review", func() bool { return w.inState(board.StateReview) == 10 })
	term.shows("Review 10")
	term.keys("u")
	w.eventually("they are back", func() bool { return w.inState(board.StateBacklog) == 11 })
	term.leave()
	d.term()
}

// A schedule finds its last run still going on; the screen says which, ends it, and
// runs the schedule now.
func TestStorySkippedByOverlap(t *testing.T) {
	w := newWorld(t)
	w.bot("slow", "", "echo slowly; while :; do sleep 0.1; done")
	w.ok("trigger", "add", "every-second", "--bot", "slow", "--cron", "@every 1s")
	d := w.daemon()
	term := w.terminal(140, 40, "--attach")
	term.shows("The board is empty.")
	term.keys("4")
	term.shows("skipped: run")
	first := w.runs()[0].ID
	w.eventually("the schedule tells which run is in the way", func() bool {
		seen := term.screen()
		switch {
		case strings.Contains(seen, "in the way  "+first):
			return true
		case strings.Contains(seen, "last tick"): // as it stood a tick ago
			term.keys("Escape")
		default:
			term.keys("Enter")
		}
		return false
	})
	w.eventually("the explanation is closed", func() bool {
		if !strings.Contains(term.screen(), "last tick") {
			return true
		}
		term.keys("Escape")
		return false
	})
	term.keys("4") // where one is too many escapes led on
	term.shows("Ticks")
	term.keys("x")
	term.shows("Cancel this run?")
	term.keys("y")
	w.eventually("the run is ended", func() bool {
		for _, rec := range w.runs() {
			if rec.ID == first {
				return rec.Status == run.Cancelled
			}
		}
		return false
	})
	term.keys("D")
	term.shows("out of force")
	w.eventually("nothing of it runs", func() bool {
		for _, rec := range w.runs() {
			if !rec.Status.Final() {
				w.run("runs", "cancel", rec.ID)
				return false
			}
		}
		return true
	})
	before := len(w.runs())
	term.keys("N")
	w.eventually("it runs by hand", func() bool { return len(w.runs()) == before+1 })
	term.shows("fired: run")
	term.keys("q")
	if code := term.exit(); code != "0" {
		t.Errorf("the screen's exit code is %s", code)
	}
	d.term()
}

// What an event owes could not be done; once the cause is mended it is tried again
// from the screen.
func TestStoryDeadLetterIsRetried(t *testing.T) {
	w := newWorld(t)
	w.bot("needs", "", `echo "told $ITERION_VAR_WHAT"`)
	w.appendTo("bots/needs/manifest.yaml", "vars: {what: {required: true}}\n")
	w.ok("trigger", "add", "on-demo", "--bot", "needs", "--on", "demo")
	d := w.daemon()
	w.ok("trigger", "emit", "--kind", "demo")
	term := w.terminal(140, 40, "--attach")
	term.shows("The board is empty.")
	term.keys("5")
	term.shows("given up after")
	w.ok("trigger", "edit", "on-demo", "--var", "what=it")
	term.keys("Right", "Enter")
	term.shows("What an event owes")
	term.keys("R")
	w.eventually("it has run", func() bool {
		all := w.runs()
		return len(all) == 1 && all[0].Status == run.Finished
	})
	term.shows("launched run")
	term.leave()
	d.term()
}

// appendTo adds to a file of the world.
func (w *world) appendTo(path, text string) {
	w.t.Helper()
	f, err := os.OpenFile(w.path(path), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		w.t.Fatal(err)
	}
}

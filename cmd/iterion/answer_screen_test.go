package main

import (
	"os"
	"strings"
	"testing"
)

// askingRun makes a run that waits for the answers to a form of every kind.
func (w *world) askingRun() string {
	w.t.Helper()
	w.bot("asker", "", `
if [ "$ITERION_RESUME" = 1 ]; then tr -d '\n "{}' <"$ITERION_ANSWERS" >answers; echo thanks; exit; fi
iterion report ask --question 'How do we ship?' --field 'env:dev|prod=dev' --field depth:number --field 'note:text?'
`)
	w.run("run", "asker")
	return w.ok("runs", "list", "-q", "--status", "paused")
}

// A form on a real terminal: left by ctrl-c, nothing has changed; filled, the run
// goes on with what was typed.
func TestFormOnATerminal(t *testing.T) {
	w := newWorld(t)
	id := w.askingRun()
	before := w.ok("runs", "show", id, "--json")

	term := w.terminalWith(90, 30, "runs", "answer", id)
	term.shows("How do we ship?")
	term.keys("2", "Enter")
	term.shows("depth:")
	term.keys("C-c")
	if code := term.exit(); code != "130" {
		t.Errorf("exit code %s after ctrl-c, want 130", code)
	}
	if after := w.ok("runs", "show", id, "--json"); after != before {
		t.Errorf("ctrl-c left\n%s\nwas\n%s", after, before)
	}
	if err := os.Remove(term.code); err != nil {
		t.Fatal(err)
	}

	term = w.terminalWith(90, 30, "runs", "answer", id, "--attend")
	term.shows("env [dev]:")
	term.keys("2", "Enter")
	term.shows("2/3  depth (number)")
	term.keys("deep", "Enter")
	term.shows("  want a number")
	term.keys("3", "Enter")
	term.shows("3/3  note (text; may be left out)")
	term.keys("Enter")
	term.shows("  note = (left out)")
	term.keys("Enter")
	if code := term.exit(); code != "0" {
		t.Errorf("exit code %s", code)
	}
	if got, err := os.ReadFile(w.path("answers")); err != nil || string(got) != "depth:3,env:prod" {
		t.Errorf("the bot read %q, %v", got, err)
	}
	if s := w.ok("runs", "show", id); !strings.Contains(s, "finished") {
		t.Errorf("the run is\n%s", s)
	}
}

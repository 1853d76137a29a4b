package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// bot writes a bundle whose command is a shell script.
func (w *world) bot(name, manifest, script string) {
	w.t.Helper()
	dir := w.path("bots", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	text := fmt.Sprintf("name: %s\nrun:\n%s  script: |\n    %s\n", name, manifest, strings.ReplaceAll(strings.TrimSpace(script), "\n", "\n    "))
	if err := os.WriteFile(dir+"/manifest.yaml", []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// The log scrolls above a line that says how far the bot is, whatever is done to
// the window.
func TestWatchedRunKeepsOneLineBelowItsLog(t *testing.T) {
	w := newWorld(t)
	w.bot("slow", "", `
for i in 1 2 3 4 5 6 7 8 9; do echo "line $i of the log"; done
iterion report progress "reading 世界 and a long text that no narrow window has the room for" --percent 40
iterion report cost 0.25
printf 'no end yet'
until [ -e go ]; do sleep 0.05; done
echo ' but now'
`)
	term := w.terminalWith(90, 12, "run", "slow")
	term.shows("━━━━────── 40% · $0.25 · reading 世界")
	term.shows("no end yet")
	term.resize(40, 12)
	term.shows("slow 0:")
	term.resize(100, 12)
	term.shows("━━━━────── 40%")
	w.eventually("one line is drawn", func() bool { return strings.Count(term.screen(), "slow 0:") == 1 })
	if seen := term.screen(); strings.Count(seen, "line 9 of the log") != 1 {
		t.Errorf("the log was torn:\n%s", seen)
	}
	release(t, w.path("go"))
	if code := term.exit(); code != "0" {
		t.Errorf("exit code %s", code)
	}
}

// What the bot asks is asked right there, and the run goes on under the same watch.
func TestWatchedRunAsksRightThere(t *testing.T) {
	w := newWorld(t)
	w.bot("asker", "  resume: true\n", `
if [ "$ITERION_RESUME" = 0 ]; then
	echo before; iterion report ask --question 'Which way?' --field 'way:left|right'
elif grep -q '"left"' "$ITERION_ANSWERS"; then
	iterion report ask --question 'Really left?' --field really:bool
else
	echo "went $(cat "$ITERION_ANSWERS")" | tr -d '\n{}" ' >went
fi
`)
	term := w.terminalWith(90, 40, "run", "asker")
	term.shows("Which way?")
	term.keys("1", "Enter") // left
	term.shows("Send these answers?")
	term.keys("Enter")
	term.shows("Really left?")
	term.keys("perhaps", "Enter", "yes", "Enter")
	term.shows("really = ")
	term.keys("y", "Enter")
	if code := term.exit(); code != "0" {
		t.Errorf("exit code %s", code)
	}
	if got, err := os.ReadFile(w.path("went")); err != nil || string(got) != "wentreally:true" {
		t.Errorf("the bot read %q (%v)", got, err)
	}
	if runs := w.runs(); len(runs) != 1 {
		t.Errorf("%d runs, want one that went on", len(runs))
	}
}

// What was typed before a question was there answers nothing.
func TestWhatWasTypedBeforeAQuestionIsNoAnswer(t *testing.T) {
	w := newWorld(t)
	w.bot("asker", "", `
if [ "$ITERION_RESUME" = 1 ]; then tr -d '\n "{}' <"$ITERION_ANSWERS" >answers; exit; fi
echo "at work"
until [ -e go ]; do sleep 0.05; done
iterion report ask --question 'Where to?' --field 'env:dev|prod=dev' --field sure:bool=yes
`)
	term := w.terminalWith(90, 40, "run", "asker")
	term.shows("at work")
	term.keys("Enter", "Enter", "Enter", "stray", "Enter", "no")
	term.shows("stray")
	release(t, w.path("go"))
	term.shows("env [dev]:")
	term.keys("prod", "Enter")
	term.shows("sure [true]:")
	term.keys("no", "Enter")
	term.shows("Send these answers?")
	term.keys("Enter")
	if code := term.exit(); code != "0" {
		t.Errorf("exit code %s", code)
	}
	if got, err := os.ReadFile(w.path("answers")); err != nil || string(got) != "env:prod,sure:false" {
		t.Errorf("the bot read %q, %v", got, err)
	}
}

// Who leaves the questions leaves the run waiting.
func TestLeavingTheQuestionsLeavesTheRunPaused(t *testing.T) {
	w := newWorld(t)
	w.bot("asker", "  resume: true\n", `iterion report ask --question 'Which way?' --field way`)
	term := w.terminalWith(90, 40, "run", "asker")
	term.shows("Which way?")
	term.keys("C-c")
	if code := term.exit(); code != "11" {
		t.Errorf("exit code %s, want 11", code)
	}
	if s := w.run("runs", "list"); !strings.Contains(s.out, "paused_waiting_human") {
		t.Errorf("the run does not wait: %s", s.out)
	}
}

// A closed terminal ends the watch and nothing else.
func TestClosedTerminalLeavesTheRunAlone(t *testing.T) {
	w := newWorld(t)
	w.bot("slow", "", "echo up\nuntil [ -e go ]; do sleep 0.05; done\ntouch lived")
	term := w.terminalWith(90, 12, "run", "slow")
	term.shows("slow 0:")
	term.close()
	w.eventually("nobody watches", func() bool { return len(w.processes("TMUX_PANE=%0")) == 0 })
	release(t, w.path("go"))
	w.eventually("the run goes on", func() bool { _, err := os.Stat(w.path("lived")); return err == nil })
}

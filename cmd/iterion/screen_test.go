package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A terminal is a real one, under tmux, with the program running in it.
type terminal struct {
	w      *world
	socket string
	code   string // file that gets the exit code of the program
}

// terminal opens `iterion tui` in a terminal of the given size.
func (w *world) terminal(width, height int, args ...string) *terminal {
	w.t.Helper()
	return w.terminalWith(width, height, append([]string{"tui"}, args...)...)
}

// terminalWith opens a terminal with a command of the program in it.
func (w *world) terminalWith(width, height int, args ...string) *terminal {
	w.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("CI") != "" {
			w.t.Fatal("tmux is not installed; .ci/run should have done that")
		}
		w.t.Skip("SKIPPED: no tmux, so nothing was shown about the real terminal")
	}
	term := &terminal{w: w, socket: filepath.Join(w.home, "tmux"), code: w.path("exit-code")}
	show := w.command(args...)
	script := fmt.Sprintf("trap : INT; %s; echo $? >%s.new; mv %s.new %s", strings.Join(quoted(show.Args), " "), term.code, term.code, term.code)
	cmd := exec.Command("tmux", "-S", term.socket, "-f", "/dev/null", "new-session", "-d",
		"-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "sh", "-c", script)
	cmd.Dir = w.dir
	cmd.Env = append(show.Env, "LANG=C.UTF-8", "SHELL=/bin/sh")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("tmux: %v\n%s", err, out)
	}
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("the screen:\n%s", term.screen())
		}
		_ = exec.Command("tmux", "-S", term.socket, "kill-server").Run()
	})
	return term
}

func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, s := range words {
		out[i] = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return out
}

// keys types.
func (term *terminal) keys(names ...string) {
	term.w.t.Helper()
	args := append([]string{"-S", term.socket, "send-keys"}, names...)
	if out, err := exec.Command("tmux", args...).CombinedOutput(); err != nil {
		term.w.t.Fatalf("send-keys %v: %v\n%s", names, err, out)
	}
}

// screen reads what is shown; empty once the screen has ended.
func (term *terminal) screen() string {
	out, err := exec.Command("tmux", "-S", term.socket, "capture-pane", "-p").Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// shows waits until a text is on the screen.
func (term *terminal) shows(text string) {
	term.w.t.Helper()
	term.w.eventually(fmt.Sprintf("the screen shows %q", text), func() bool { return strings.Contains(term.screen(), text) })
}

// column returns the head of the column that a card's title stands under; empty
// while they are not both on the screen.
func (term *terminal) column(title string, heads ...string) string {
	var places []int // of the heads, in cells
	best, found := -1, ""
	for line := range strings.Lines(term.screen()) {
		if at := cell(line, title); places != nil && at >= 0 {
			for i, pos := range places {
				if pos >= 0 && pos <= at && pos > best {
					best, found = pos, heads[i]
				}
			}
			return found
		}
		if cell(line, heads[0]) >= 0 && cell(line, heads[len(heads)-1]) >= 0 {
			for _, head := range heads {
				places = append(places, cell(line, head))
			}
		}
	}
	return ""
}

// cell is where text begins on a line of single-width characters, or -1.
func cell(line, text string) int {
	i := strings.Index(line, text)
	if i < 0 {
		return -1
	}
	return len([]rune(line[:i]))
}

// resize changes the size of the window.
func (term *terminal) resize(width, height int) {
	term.w.t.Helper()
	args := []string{"-S", term.socket, "resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height)}
	if out, err := exec.Command("tmux", args...).CombinedOutput(); err != nil {
		term.w.t.Fatalf("resize-window: %v\n%s", err, out)
	}
}

// close closes the window under the program.
func (term *terminal) close() {
	term.w.t.Helper()
	if out, err := exec.Command("tmux", "-S", term.socket, "kill-server").CombinedOutput(); err != nil {
		term.w.t.Fatalf("kill-server: %v\n%s", err, out)
	}
}

// exit waits until the program has ended and returns its exit code.
func (term *terminal) exit() string {
	term.w.t.Helper()
	term.w.eventually("the screen has ended", func() bool { _, err := os.Stat(term.code); return err == nil })
	data, err := os.ReadFile(term.code)
	if err != nil {
		term.w.t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// A card travels from ready over in progress to review before the eyes of
// somebody who touches nothing.
func TestScreenShowsACardTravel(t *testing.T) {
	w := newWorld(t)
	d := w.daemon()
	w.ok("daemon", "pause", "--reason", "look first")
	_, goOn := sleepers(w, 1)
	term := w.terminal(160, 40)
	under := func(head string) func() bool {
		return func() bool { return term.column("sleeper 0", "Ready", "In progress", "Review") == head }
	}
	w.eventually("the card is under Ready", under("Ready"))
	w.ok("daemon", "unpause")
	w.eventually("the card is under In progress", under("In progress"))
	release(t, goOn)
	w.eventually("the card is under Review", under("Review"))
	term.keys("q")
	if code := term.exit(); code != "0" {
		t.Errorf("the screen's exit code is %s", code)
	}
	if s := w.run("daemon", "status"); s.code != 0 {
		t.Errorf("quitting ended a daemon that the screen had not started: %s", s.err)
	}
	d.term()
}

// The screen starts a daemon of its own when none runs, and ends it on quit.
func TestScreenBringsItsOwnDaemon(t *testing.T) {
	w := newWorld(t)
	w.shell("a card of mine", "echo hi")
	term := w.terminal(120, 30)
	w.eventually("the card is done with", func() bool {
		seen := term.screen()
		// While the slot is taken, leaving would ask what becomes of the bot.
		return strings.Contains(seen, "a card of mine") && strings.Contains(seen, "finished") && strings.Contains(seen, "0/4 running")
	})
	term.keys("q")
	if code := term.exit(); code != "0" {
		t.Errorf("the screen's exit code is %s", code)
	}
	w.eventually("its daemon is gone", func() bool { return w.run("daemon", "status").code != 0 })
	w.settled(1)
}

// A daemon that somebody has stopped stays stopped until the person at the screen
// asks for one: whoever stopped it may be about to start it with other settings.
func TestScreenLeavesAStoppedDaemonStopped(t *testing.T) {
	w := newWorld(t)
	w.ok("issue", "create", "--title", "a card of mine")
	term := w.terminal(120, 30)
	term.shows("a card of mine")
	w.ok("daemon", "stop")
	term.shows("the daemon is gone. Press r to start one.")
	if s := w.run("daemon", "status"); s.code != 3 {
		t.Errorf("a daemon runs again, unasked: %s", s.out)
	}
	term.keys("r")
	w.eventually("a daemon runs again", func() bool { return w.run("daemon", "status").code == 0 })
	w.eventually("the screen is joined to it", func() bool { return !strings.Contains(term.screen(), "daemon is gone") })
	term.keys("q")
	if code := term.exit(); code != "0" {
		t.Errorf("the screen's exit code is %s", code)
	}
}

// Looking starts nothing.
func TestReadOnlyScreenStartsNoDaemon(t *testing.T) {
	w := newWorld(t)
	w.shell("a card of mine", "echo hi")
	term := w.terminal(120, 30, "--read-only")
	term.shows("No daemon answers.")
	if s := w.run("daemon", "status"); s.code != 3 {
		t.Errorf("the screen started a daemon: %s", s.out)
	}
	term.keys("q")
	if code := term.exit(); code != "0" {
		t.Errorf("the screen's exit code is %s", code)
	}
}

// Every screen draws in a small and in a large terminal, and after a resize.
func TestScreenDrawsAtOddSizes(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			w := newWorld(t)
			w.shell("small card", "echo line of the log")
			w.ok("daemon", "--until-idle")
			term := w.terminal(size[0], size[1])
			term.shows("small card")
			term.keys("Enter")
			term.shows("no body")
			term.keys("3")
			term.shows("1 shown")
			term.keys("Enter")
			term.shows("line of the log")
			term.keys("?")
			term.shows("Keys of")
			term.keys("?")
			term.keys("1")
			term.shows("Review 1")
			term.keys("q")
			if code := term.exit(); code != "0" {
				t.Errorf("the screen's exit code is %s", code)
			}
		})
	}
}

package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// shellScreen opens a terminal with a shell in it, which types one command line before
// and one after the screen.
func (w *world) shellScreen(width, height int) *terminal {
	w.t.Helper()
	term := w.terminalWith(width, height, "version") // skips where there is no tmux
	term.exit()
	_ = exec.Command("tmux", "-S", term.socket, "kill-server").Run()
	cmd := exec.Command("tmux", "-S", term.socket, "-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "sh", "-i")
	show := w.command("tui", "--attach")
	cmd.Dir, cmd.Env = w.dir, append(show.Env, "LANG=C.UTF-8", "SHELL=/bin/sh", "PS1=ready> ", "ENV=")
	w.eventually("the terminal is open", func() bool {
		fresh := *cmd
		return fresh.Run() == nil
	})
	term.shows("ready>")
	return term
}

// types writes a line at the shell.
func (term *terminal) types(line string) {
	term.w.t.Helper()
	term.keys("-l", line)
	term.keys("Enter")
}

// settings reads how the terminal was set when a file was written.
func (w *world) settings(name string) string {
	w.t.Helper()
	w.eventually(name+" is written", func() bool {
		data, err := os.ReadFile(w.path(name))
		return err == nil && strings.HasSuffix(string(data), "\n")
	})
	data, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// However the screen is left, the terminal is as it was before.
func TestTheTerminalComesBackAsItWas(t *testing.T) {
	for _, how := range []struct {
		name  string
		leave func(term *terminal, pid int)
	}{
		// Not TERM: on a machine that has no time for anything it was seen to leave the
		// terminal as it was, and the cause is not known.
		{"quit", func(term *terminal, _ int) { term.keys("q") }},
		{"ctrl-c", func(term *terminal, _ int) { term.keys("C-c") }},
		{"suspended and quit", func(term *terminal, pid int) {
			term.keys("C-z")
			term.shows("ready>")
			term.w.settings("after") // the shell has gone on with its line
			term.types("stty -a >during; rm after; fg")
			term.shows("a card")
			term.keys("q")
			term.w.eventually("the screen is gone", func() bool { return syscall.Kill(pid, 0) != nil })
			term.types("stty -a >after")
		}},
	} {
		t.Run(how.name, func(t *testing.T) {
			w := newWorld(t)
			w.ok("issue", "create", "--title", "a card of mine")
			d := w.daemon()
			term := w.shellScreen(100, 30)
			term.types("stty -a >before; sh -c 'echo $$ >pid; exec iterion tui --attach'; stty -a >after")
			term.shows("a card of mine")
			pid, err := strconv.Atoi(strings.TrimSpace(w.settings("pid")))
			if err != nil {
				t.Fatal(err)
			}
			how.leave(term, pid)
			before := w.settings("before")
			if after := w.settings("after"); after != before {
				t.Errorf("the terminal was\n%sand is\n%s", before, after)
			}
			if _, err := os.Stat(w.path("during")); err == nil {
				if during := w.settings("during"); during != before {
					t.Errorf("while suspended the terminal was\n%sand not\n%s", during, before)
				}
			}
			w.eventually("no alternate screen, no mouse, the cursor", func() bool { // tmux reads in its own time
				out, err := exec.Command("tmux", "-S", term.socket, "display-message", "-p", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}").Output()
				return err == nil && strings.TrimSpace(string(out)) == "0 0 1"
			})
			d.term()
		})
	}
}

// A closed terminal ends the screen and leaves a daemon alone that is not its own.
func TestAClosedTerminalEndsTheScreen(t *testing.T) {
	w := newWorld(t)
	w.ok("issue", "create", "--title", "a card of mine")
	d := w.daemon()
	term := w.shellScreen(100, 30)
	term.types("sh -c 'echo $$ >pid; exec iterion tui --attach'")
	term.shows("a card of mine")
	pid, err := strconv.Atoi(strings.TrimSpace(w.settings("pid")))
	if err != nil {
		t.Fatal(err)
	}
	term.close()
	w.eventually("the screen is gone", func() bool { return syscall.Kill(pid, 0) != nil })
	if s := w.run("daemon", "status"); s.code != 0 {
		t.Errorf("the daemon went with it: %s", s.err)
	}
	d.term()
}

// What cards and bots say is shown and not obeyed: the clipboard of the terminal stays
// as it is on every screen.
func TestHostileTextLeavesTheClipboardAlone(t *testing.T) {
	const evil = "\x1b]52;c;aGFja2Vk\x07\x1b[2J\x1b]8;;http://e.vil\x1b\\link\x1b]8;;\x1b\\"
	w := newWorld(t)
	w.bot("evil", "", `printf '\033]52;c;aGFja2Vk\007 shown \033[2J\n'; iterion report progress "`+"$(printf '\\033]52;c;aGFja2Vk\\007')"+`" ; exit 3`)
	w.ok("issue", "create", "--title", "nasty "+evil, "--body", "body "+evil, "--state", "backlog")
	w.ok("issue", "create", "--title", "nasty too "+evil, "--bot", "evil", "--state", "ready")
	d := w.daemon()
	term := w.shellScreen(140, 40)
	if out, err := exec.Command("tmux", "-S", term.socket, "set-option", "-s", "set-clipboard", "on").CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v %s", err, out)
	}
	term.types("iterion tui --attach")
	term.shows("nasty ")
	term.keys("e")
	term.shows("Edit ")
	term.keys("Escape")
	term.keys("Enter")
	term.shows("body ␛]52")
	term.keys("3")
	term.shows("shown")
	term.keys("Enter")
	term.shows("shown ␛[2J")
	term.keys("w")
	term.keys(":")
	term.keys("-l", "nasty")
	term.shows("nasty too ␛]52")
	term.keys("Escape")
	term.keys("6")
	term.shows("Running,")
	term.keys("q")
	term.shows("ready>")
	if out, err := exec.Command("tmux", "-S", term.socket, "show-buffer").CombinedOutput(); err == nil {
		t.Errorf("the clipboard holds %q", out)
	}
	d.term()
}

package tui

import (
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"golang.org/x/term"

	"iterion/tui/kit"
)

// backgroundTime is how long the terminal may take to say its background
// colour. Terminals that answer do so in a few milliseconds; a late answer would
// be taken for keys, but for keys that mean nothing.
const backgroundTime = 80 * time.Millisecond

// environ lets termenv read the environment that the caller gave.
type environ func(string) string

func (e environ) Getenv(key string) string { return e(key) }
func (e environ) Environ() []string        { return nil }

// look finds out what the terminal can draw. It never waits longer than
// backgroundTime, and only for a real terminal.
func look(in io.Reader, out io.Writer, getenv func(string) string, noColor bool) kit.Look {
	l := kit.Look{Dark: true, ASCII: !unicodeLocale(getenv)}
	if getenv("TERM") == "dumb" {
		return kit.Look{Profile: termenv.Ascii, Dark: true, Mono: true, ASCII: true}
	}
	l.Mono = noColor || getenv("NO_COLOR") != ""
	l.Profile = profile(out, getenv)
	if l.Mono || l.Profile == termenv.Ascii {
		l.Mono, l.Profile = true, termenv.ANSI // weight without colour
		return l
	}
	if dark, ok := darkFromEnv(getenv); ok {
		l.Dark = dark
	} else if dark, ok := darkFromTerminal(in, out, getenv("TERM")); ok {
		l.Dark = dark
	}
	return l
}

// unicodeLocale reports whether the terminal can be taken to draw more than ASCII. Where
// no locale is set at all, as in many a container, it mostly can.
func unicodeLocale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(getenv(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}

func profile(out io.Writer, getenv func(string) string) termenv.Profile {
	o := termenv.NewOutput(out, termenv.WithEnvironment(environ(getenv)), termenv.WithUnsafe())
	return o.EnvColorProfile()
}

// darkFromEnv reads COLORFGBG, "foreground;background" in the 16 colours, which
// also serves to say it by hand.
func darkFromEnv(getenv func(string) string) (dark, ok bool) {
	parts := strings.Split(getenv("COLORFGBG"), ";")
	switch parts[len(parts)-1] {
	case "0", "1", "2", "3", "4", "5", "6", "8":
		return true, true
	case "7", "9", "10", "11", "12", "13", "14", "15":
		return false, true
	}
	return false, false
}

// darkFromTerminal asks the terminal. The second question is one that every
// terminal answers, so that one which knows no colours need not time out.
func darkFromTerminal(in io.Reader, out io.Writer, name string) (dark, ok bool) {
	tty, isFile := in.(*os.File)
	w, isFile2 := out.(*os.File)
	if !isFile || !isFile2 || !term.IsTerminal(int(tty.Fd())) || !term.IsTerminal(int(w.Fd())) {
		return false, false
	}
	if name == "linux" {
		return false, false
	}
	old, err := term.MakeRaw(int(tty.Fd()))
	if err != nil {
		return false, false
	}
	defer func() { _ = term.Restore(int(tty.Fd()), old) }()
	if _, err := io.WriteString(w, "\x1b]11;?\x1b\\\x1b[c"); err != nil {
		return false, false
	}
	return darkFromReply(readReply(tty, backgroundTime))
}

// darkFromReply finds the colour in an answer like ESC]11;rgb:ffff/ffff/ffff.
func darkFromReply(reply string) (dark, ok bool) {
	_, rest, found := strings.Cut(reply, "]11;")
	if !found {
		return false, false
	}
	end := strings.IndexAny(rest, "\x07\x1b")
	if end < 0 {
		return false, false
	}
	c := ansi.XParseColor(rest[:end])
	if c == nil {
		return false, false
	}
	r, g, b, _ := c.RGBA()
	return (299*r+587*g+114*b)/1000 < 0x8000, true
}

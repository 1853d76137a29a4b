package tui

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"iterion/daemon/control"
	"iterion/tui/kit"
	"iterion/tui/screen"
	"iterion/tui/screen/board"
)

// driver feeds a root model by hand: commands are run at once, one by one, but
// for timers, which fire when the test waits for something.
type driver struct {
	t   testing.TB
	m   *root
	src *fake
	now time.Time
	// quit: the program has asked to end.
	quit bool
	// timers are commands that took their time.
	timers chan tea.Msg
}

func plainLook() kit.Look { return kit.Look{Profile: termenv.Ascii, Dark: true, Mono: true} }

// drive makes a driver whose model has a size but no data yet.
func drive(t testing.TB, w, h int, set ...func(*Options)) *driver {
	t.Helper()
	o := Options{By: "tester"}
	for _, f := range set {
		f(&o)
	}
	d := &driver{t: t, src: newFake(), now: noon, timers: make(chan tea.Msg, 1000)}
	d.m = newRoot(context.Background(), o, kit.NewTheme(plainLook()), make(chan struct{}, 1), func() time.Time { return d.now })
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	return d
}

// live is a driver that is connected and shows the sample board.
func live(t testing.TB, w, h int, set ...func(*Options)) *driver {
	t.Helper()
	d := drive(t, w, h, set...)
	d.send(connected{d.src})
	d.send(framed{sampleFrame()})
	return d
}

func (d *driver) send(msg tea.Msg) {
	d.t.Helper()
	_, cmd := d.m.Update(msg)
	d.run(cmd)
}

// run performs a command and what comes of it.
func (d *driver) run(cmd tea.Cmd) {
	d.t.Helper()
	if cmd == nil {
		return
	}
	done := make(chan tea.Msg)
	late := make(chan struct{})
	go func() {
		msg := cmd()
		select {
		case done <- msg:
		case <-late:
			d.timers <- msg
		}
	}()
	select {
	case msg := <-done:
		d.take(msg)
	case <-time.After(50 * time.Millisecond):
		close(late)
	}
}

func (d *driver) take(msg tea.Msg) {
	d.t.Helper()
	switch msg := msg.(type) {
	case nil:
	case tea.QuitMsg:
		d.quit = true
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	default:
		if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() { // a sequence
			for i := range v.Len() {
				d.run(v.Index(i).Interface().(tea.Cmd))
			}
			return
		}
		d.send(msg)
	}
}

// press types keys: names of special keys, or the letters themselves.
func (d *driver) press(keys ...string) {
	d.t.Helper()
	for _, k := range keys {
		d.send(keyMsg(k))
	}
}

func (d *driver) text(s string) {
	d.t.Helper()
	for _, r := range s {
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
}

var special = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"ctrl+c": tea.KeyCtrlC, "ctrl+s": tea.KeyCtrlS, "ctrl+z": tea.KeyCtrlZ, "ctrl+a": tea.KeyCtrlA, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "space": tea.KeySpace,
}

func keyMsg(k string) tea.KeyMsg {
	if t, ok := special[k]; ok {
		return tea.KeyMsg{Type: t}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
}

// view draws the window and checks what must hold of every window.
func (d *driver) view() string {
	d.t.Helper()
	v := d.m.View()
	if d.m.failure != nil {
		d.t.Fatal(d.m.failure)
	}
	checkWindow(d.t, v, d.m.width, d.m.height)
	return ansi.Strip(v)
}

// styling are the only sequences that a window may hold.
var styling = regexp.MustCompile("\x1b\\[[0-9;:]*m")

func checkWindow(t testing.TB, v string, w, h int) {
	t.Helper()
	if w <= 0 || h <= 0 {
		if v != "" {
			t.Fatalf("a window of %dx%d is drawn: %q", w, h, v)
		}
		return
	}
	lines := strings.Split(v, "\n")
	if len(lines) != h {
		t.Fatalf("%d lines in a window of %dx%d:\n%s", len(lines), w, h, v)
	}
	for i, l := range lines {
		if got := kit.Width(l); got != w {
			t.Fatalf("line %d is %d wide in a window of %dx%d: %q", i, got, w, h, l)
		}
	}
	if rest := styling.ReplaceAllString(v, ""); strings.ContainsRune(rest, '\x1b') {
		t.Fatalf("the window holds a sequence that is no style:\n%q", rest)
	}
	for _, r := range ansi.Strip(v) {
		if r < 0x20 && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			t.Fatalf("the window holds the control character %#x:\n%q", r, v)
		}
	}
}

func (d *driver) wants(parts ...string) {
	d.t.Helper()
	v := d.view()
	for _, p := range parts {
		if !strings.Contains(v, p) {
			d.t.Fatalf("the window does not say %q:\n%s", p, v)
		}
	}
}

func (d *driver) lacks(parts ...string) {
	d.t.Helper()
	v := d.view()
	for _, p := range parts {
		if strings.Contains(v, p) {
			d.t.Fatalf("the window says %q:\n%s", p, v)
		}
	}
}

// frame sends a change.
func (d *driver) frame(f control.Frame) {
	d.t.Helper()
	d.send(framed{f})
}

// selected is the id of the card under the board's cursor.
func (d *driver) selected() string {
	if c := d.m.screens[screen.Board].(*board.Screen).Selected(d.m.env); c != nil {
		return c.ID
	}
	return ""
}

// until lets timers fire until the window says part.
func (d *driver) until(part string) {
	d.t.Helper()
	deadline := time.After(10 * time.Second)
	for !strings.Contains(d.view(), part) {
		select {
		case msg := <-d.timers:
			d.take(msg)
		case <-deadline:
			d.t.Fatalf("the window never says %q:\n%s", part, d.view())
		}
	}
}

// numbered is a log of n lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d \n", i)
	}
	return b.String()
}

// first is the first message that comes of a command.
func first(cmd tea.Cmd) tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, c := range batch {
			if m := first(c); m != nil {
				return m
			}
		}
	}
	return msg
}

package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"

	"iterion/daemon/control"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// View draws the window: exactly its height, no line wider than it.
func (m *root) View() (view string) {
	defer m.drawn(&view)
	if m.env.Theme.ASCII {
		return kit.ASCII(m.draw())
	}
	return m.draw()
}

func (m *root) draw() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	if m.height < tinyRows || m.width < tinyCols {
		return strings.Join(kit.Box([]string{m.plain()}, m.width, m.height), "\n")
	}
	lines := append([]string{m.header()}, m.banners()...)
	lines = append(lines, m.body()...)
	foot := m.footer()
	lines = kit.Box(lines, m.width, m.height-len(foot))
	return strings.Join(append(lines, kit.Box(foot, m.width, len(foot))...), "\n")
}

// quitCols is the width below which the screen's own keys need the room.
const quitCols = 80

// Below these, one plain line stands for everything.
const (
	tinyRows = 6
	tinyCols = 24
)

// bodyRows is the height of the screens: all but header, banners and footer.
func (m *root) bodyRows() int { return max(0, m.height-2-len(m.banners())) }

func (m *root) dialogWidth() int { return max(1, m.width-8) }

// dialogRows leaves room for the frame and the hints.
func (m *root) dialogRows() int { return max(1, m.bodyRows()-4) }

func (m *root) plain() string {
	d := m.env.Mirror
	if !d.Ready {
		return m.state()
	}
	return fmt.Sprintf("%d live, %d cards", d.LiveRuns(), d.Len())
}

// state says how the connection stands, in a few words.
func (m *root) state() string {
	switch {
	case m.offering:
		return "no board"
	case m.link.lost != nil:
		return "no daemon"
	case m.env.Source == nil:
		return "connecting" + m.env.Theme.Glyph.Wait
	}
	return "loading" + m.env.Theme.Glyph.Wait
}

// header names the screens and says how dispatch stands. On a narrow window the
// name of the program goes first, then the details, then the names of the screens
// that are not in front.
func (m *root) header() string {
	name, states := " "+m.env.Theme.Strong.Render("iterion")+" ", m.dispatchStates()
	for _, lead := range []string{name + m.tabs(false), m.tabs(false), m.tabs(true)} {
		for _, state := range states {
			if kit.Width(lead)+kit.Width(state)+1 < m.width {
				return kit.Spread(lead, state+" ", m.width)
			}
		}
	}
	return kit.Spread(m.tabs(true), "", m.width)
}

// tabs are the screens; short, the name of the one in front alone.
func (m *root) tabs(short bool) string {
	t := m.env.Theme
	var b strings.Builder
	for i, name := range m.order {
		style := t.Dim
		if name == m.at {
			style = t.Select.Bold(true)
		}
		b.WriteString(" " + style.Render(m.tab(i, name, short)))
	}
	return b.String()
}

// tab is a screen's name in the header, without its style.
func (m *root) tab(i int, name string, short bool) string {
	if short && name != m.at {
		return fmt.Sprint(i + 1)
	}
	return fmt.Sprintf(" %d %s ", i+1, strings.ToUpper(name[:1])+name[1:])
}

// slots says how many of the slots are in use.
func (m *root) slots() string {
	d := m.env.Mirror.Status.Dispatch
	if !m.env.Mirror.Ready || m.link.lost != nil {
		return m.env.Theme.Dim.Render(m.state())
	}
	glyph, style := m.env.Theme.Mark(kit.MarkQuiet)
	if d.SlotsUsed > 0 {
		glyph, style = m.env.Theme.Mark(kit.MarkLive)
	}
	return style.Render(fmt.Sprintf("%s %d/%d", glyph, d.SlotsUsed, d.SlotsMax))
}

// dispatchStates is what runs and what waits, in fewer and fewer words.
func (m *root) dispatchStates() []string {
	t := m.env.Theme
	if !m.env.Mirror.Ready || m.link.lost != nil {
		return []string{m.slots()}
	}
	d := m.env.Mirror.Status.Dispatch
	join := func(parts ...string) string {
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		return strings.Join(parts, t.Faint.Render(" "+t.Glyph.Dot+" "))
	}
	waiting, retries, paused := "", "", ""
	if n := m.env.Mirror.Waiting(); n > 0 {
		waiting = t.Dim.Render(fmt.Sprintf("%d waiting", n))
	}
	if n := len(d.Retries); n > 0 {
		retries = t.Warn.Render(fmt.Sprintf("%s %d to retry", t.Glyph.Retry, n))
	}
	if m.env.Paused() {
		paused = t.Warn.Render(t.Glyph.Paused + " paused")
	}
	running := m.slots() + t.Dim.Render(" running")
	return []string{join(running, waiting, retries, paused), join(running, retries, paused), join(running, paused), join(m.slots(), paused), m.slots()}
}

// banners are lines about what is not as it should be, the worst first.
func (m *root) banners() []string {
	var out []string
	add := func(mark kit.Mark, text string) {
		glyph, style := m.env.Theme.Mark(mark)
		out = append(out, " "+style.Render(glyph+" "+kit.Clip(text, max(1, m.width-4))))
	}
	s := m.env.Mirror.Status
	if m.link.lost != nil && m.env.Mirror.Ready {
		add(kit.MarkBad, m.goneText())
		return out
	}
	if !m.env.Mirror.Ready {
		return nil
	}
	if !s.Trusted && !s.StartedAt.IsZero() {
		add(kit.MarkHeld, "not trusted on this host, so nothing runs. `iterion trust` allows it.")
	} else if m.env.Paused() {
		add(kit.MarkPaused, pausedText(m.env))
	}
	if s.Watcher.Mode == "polling" {
		add(kit.MarkWait, "changes by others are found by polling: "+kit.Line(s.Watcher.Reason))
	}
	if n := len(m.env.Mirror.Broken); n > 0 {
		b := m.env.Mirror.Broken[0]
		add(kit.MarkBad, fmt.Sprintf("%d unreadable: %s: %s", n, kit.Line(b.Path), kit.Line(b.Error)))
	}
	if len(s.Dispatch.Errors) > 0 && m.env.Now.Sub(s.Dispatch.Errors[0].At) < time.Minute {
		add(kit.MarkBad, kit.Line(s.Dispatch.Errors[0].What))
	}
	return out
}

// goneText says what has become of the daemon, and what a key can do about it.
func (m *root) goneText() string {
	next := "Waiting for it; r looks at once."
	if m.opts.Starts {
		next = "Press r to start one."
	}
	why := ""
	if !errors.Is(m.link.lost, control.ErrNoDaemon) {
		why = " (" + kit.Line(m.link.lost.Error()) + ")"
	}
	return "the daemon is gone" + why + ". " + next + " The board is as it was last seen."
}

func pausedText(e *screen.Env) string {
	d := e.Mirror.Status.Dispatch.Desired
	text := "dispatch is paused"
	if d.By != "" {
		text += " by " + kit.Line(d.By)
	}
	if d.Reason != "" {
		text += ": " + kit.Line(d.Reason)
	}
	return text + ". Press p to go on."
}

func (m *root) retryIn() string {
	if left := m.link.retry.Sub(m.env.Now); left > time.Second {
		return "in " + kit.Span(left)
	}
	return "now"
}

// body is the front screen with the dialog or the help above it.
func (m *root) body() []string {
	e, rows := m.env, m.bodyRows()
	var lines []string
	switch {
	case m.offering:
		return kit.Overlay(kit.Box(nil, m.width, rows), m.offer(), m.width)
	case !e.Mirror.Ready:
		lines = kit.Overlay(kit.Box(nil, m.width, rows), m.waiting(), m.width)
	default:
		lines = kit.Box(m.screens[m.at].View(e), m.width, rows)
	}
	switch {
	case m.dialog != nil:
		return kit.Overlay(lines, kit.Frame(e.Theme, m.dialog, m.width, rows), m.width)
	case m.help != nil:
		box := e.Theme.Frame(m.help.title(m.at), m.help.view(e.Theme, m.width-4), m.width-4)
		return kit.Overlay(lines, box, m.width)
	}
	return lines
}

// waiting is what is shown before there is a board.
func (m *root) waiting() []string {
	t := m.env.Theme
	if m.link.lost == nil {
		lines := []string{t.Dim.Render(m.state())}
		if errs := m.env.Mirror.Status.Dispatch.Errors; len(errs) > 0 { // the board may be what cannot be read
			lines = append(lines, "", t.Bad.Render(t.Glyph.Bad)+" "+kit.Clip(kit.Line(errs[0].What), max(1, m.width-8)))
		}
		return lines
	}
	lines := []string{t.Bad.Render(t.Glyph.Bad) + " " + t.Strong.Render("No daemon answers."), ""}
	for _, l := range kit.Lines(m.link.lost.Error()) {
		lines = append(lines, kit.Wrap(l, max(1, min(m.width-8, 90)))...)
	}
	return append(lines, "", t.Dim.Render("Trying again "+m.retryIn()+". r tries at once, q leaves."))
}

// toastRows is how many rows long news may take from the screen above.
const toastRows = 3

// footer is the toast, or the hints of the screen.
func (m *root) footer() []string {
	if m.toast != nil {
		return m.news()
	}
	if m.dialog != nil || m.offering {
		return []string{""}
	}
	return []string{m.hints()}
}

// news is the toast, in as many rows as it needs.
func (m *root) news() []string {
	glyph, style := m.env.Theme.Mark(m.toast.Mark)
	var out []string
	for i, l := range kit.Wrap(m.toast.Text, max(1, m.width-4)) {
		if i == toastRows {
			break
		}
		if i > 0 {
			glyph = " "
		}
		out = append(out, " "+style.Render(glyph+" "+l))
	}
	return out
}

// hints are the keys of the screen, and those that lead on from everywhere.
func (m *root) hints() string {
	t := m.env.Theme
	if m.env.Mirror.Ready && m.screens[m.at].Typing() {
		return " " + t.Hints(m.screens[m.at].Keys(m.env), m.width-1) // any other key is text
	}
	general := []key.Binding{m.keys.help, m.keys.quit}
	if m.width < quitCols {
		general = general[:1]
	}
	tail := t.Hints(general, m.width) + " "
	if m.env.ReadOnly {
		tail = t.Warn.Render("read-only") + "   " + tail
	}
	hints := ""
	if m.env.Mirror.Ready {
		hints = t.Hints(m.screens[m.at].Keys(m.env), m.width-kit.Width(tail)-3)
	}
	return kit.Spread(" "+hints, tail, m.width)
}

package kit

import "github.com/charmbracelet/lipgloss"

// Glyphs are the shapes that carry a meaning or a border. Each is one cell wide
// in every terminal.
type Glyphs struct {
	Live, Paused, Ask, Good, Bad, Stopped, Retry, Blocked, Held, Wait, Claimed, Quiet string

	Bar, HLine, Heavy, VLine, Left, Right, Up, Down, Dot, Pen, Marked string
	TopLeft, TopRight, BottomLeft, BottomRight                        string
}

var (
	unicodeGlyphs = Glyphs{
		Live: "●", Paused: "◐", Ask: "?", Good: "✓", Bad: "✗", Stopped: "■", Retry: "↻", Blocked: "⊘", Held: "◆", Wait: "…", Claimed: "⚑", Quiet: "○",
		Bar: "▌", HLine: "─", Heavy: "━", VLine: "│", Left: "‹", Right: "›", Up: "↑", Down: "↓", Dot: "·", Pen: "✎", Marked: "┃",
		TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯",
	}
	asciiGlyphs = Glyphs{
		Live: "*", Paused: "%", Ask: "?", Good: "+", Bad: "x", Stopped: "#", Retry: "@", Blocked: "!", Held: "&", Wait: "~", Claimed: "^", Quiet: "o",
		Bar: ">", HLine: "-", Heavy: "=", VLine: "|", Left: "<", Right: ">", Up: "^", Down: "v", Dot: "-", Pen: "c", Marked: "*",
		TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
	}
)

// Mark is a state in one cell: its shape says what its colour says.
type Mark int

// The marks.
const (
	MarkNone Mark = iota
	MarkLive
	MarkPaused
	MarkAsk
	MarkGood
	MarkBad
	MarkStopped
	MarkRetry
	MarkBlocked
	MarkHeld
	MarkWait
	MarkClaimed
	MarkQuiet
)

// Mark returns the shape and the style of m.
func (t *Theme) Mark(m Mark) (string, lipgloss.Style) {
	g := t.Glyph
	switch m {
	case MarkLive:
		return g.Live, t.Live
	case MarkPaused:
		return g.Paused, t.Warn
	case MarkAsk:
		return g.Ask, t.Warn
	case MarkGood:
		return g.Good, t.Good
	case MarkBad:
		return g.Bad, t.Bad
	case MarkStopped:
		return g.Stopped, t.Dim
	case MarkRetry:
		return g.Retry, t.Warn
	case MarkBlocked:
		return g.Blocked, t.Warn
	case MarkHeld:
		return g.Held, t.Warn
	case MarkWait:
		return g.Wait, t.Dim
	case MarkClaimed:
		return g.Claimed, t.Dim
	case MarkQuiet:
		return g.Quiet, t.Dim
	}
	return " ", t.Plain
}

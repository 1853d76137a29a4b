package kit

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Theme holds the styles by what they mean. Each works on a light and on a dark
// background, in 16 colours and, with weight and marks alone, in none.
type Theme struct {
	Plain  lipgloss.Style
	Strong lipgloss.Style // headings, the selected card's title
	Dim    lipgloss.Style // secondary text
	Faint  lipgloss.Style // rules, hints, what may be overlooked
	Accent lipgloss.Style // where you are
	Select lipgloss.Style // the selected row, under Strong
	Key    lipgloss.Style // a key in a hint
	Good   lipgloss.Style
	Bad    lipgloss.Style
	Warn   lipgloss.Style
	Live   lipgloss.Style
	Label  lipgloss.Style
	Code   lipgloss.Style

	Glyph Glyphs
	// ASCII: the terminal draws plain characters only.
	ASCII bool
	// Paint draws s in a colour of the board's own ("" leaves it plain).
	Paint func(colour, s string) string
}

// Look is what is known of the terminal.
type Look struct {
	Profile termenv.Profile
	Dark    bool
	// Mono uses weight only, no colour.
	Mono bool
	// ASCII draws with plain characters only.
	ASCII bool
}

// NewTheme makes the theme of a terminal. Styles are bound to a renderer of
// their own; nothing global is asked or changed.
func NewTheme(l Look) *Theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(l.Profile)
	r.SetHasDarkBackground(l.Dark)
	colour := func(dark, light string) lipgloss.TerminalColor {
		if l.Mono {
			return lipgloss.NoColor{}
		}
		return lipgloss.AdaptiveColor{Dark: dark, Light: light}
	}
	ink := func(dark, light string) lipgloss.Style { return r.NewStyle().Foreground(colour(dark, light)) }
	t := &Theme{
		Plain:  r.NewStyle(),
		Strong: r.NewStyle().Bold(true),
		Dim:    ink("#9aa4b2", "#5b6472"),
		Faint:  ink("#667080", "#8b93a0"),
		Accent: ink("#7aa2f7", "#2f5fd0").Bold(true),
		Select: r.NewStyle().Background(colour("#26304a", "#dfe7fb")),
		Key:    ink("#7dcfff", "#0f6f96"),
		Good:   ink("#9ece6a", "#3f7a17"),
		Bad:    ink("#f7768e", "#b3243f"),
		Warn:   ink("#e0af68", "#8f5b00"),
		Live:   ink("#7dcfff", "#0f6f96"),
		Label:  ink("#bb9af7", "#7040b8"),
		Code:   ink("#a9d1b8", "#2f6b4a"),
		Glyph:  unicodeGlyphs,
	}
	if l.Mono {
		t.Faint, t.Select = t.Faint.Faint(true), t.Select.Reverse(true)
	}
	if l.Profile == termenv.ANSI && !l.Mono {
		t.sixteen(r)
	}
	if l.ASCII {
		t.Glyph, t.ASCII = asciiGlyphs, true
	}
	t.Paint = func(c, s string) string {
		if c == "" || l.Mono {
			return s
		}
		return r.NewStyle().Foreground(lipgloss.Color(c)).Render(s)
	}
	return t
}

// sixteen replaces the tokens that the nearest of 16 colours would make
// unreadable: the palette is the user's own, so shades are left to it.
func (t *Theme) sixteen(r *lipgloss.Renderer) {
	t.Dim, t.Faint = r.NewStyle(), r.NewStyle().Faint(true)
	t.Select = r.NewStyle().Reverse(true)
	for style, c := range map[*lipgloss.Style]string{
		&t.Accent: "4", &t.Key: "6", &t.Good: "2", &t.Bad: "1", &t.Warn: "3", &t.Live: "6", &t.Label: "5", &t.Code: "2",
	} {
		*style = style.Foreground(lipgloss.Color(c))
	}
}

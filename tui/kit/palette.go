package kit

import (
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// Command is something that a Palette offers.
type Command struct {
	Name string // clean
	Note string // dim, behind the name
	Run  func() tea.Cmd
}

// Palette finds a command by its name: what is typed narrows the list.
type Palette struct {
	Ask string
	// Find returns the commands in which every word occurs, the likeliest first, at
	// most max. Words are in lower case; without any, all commands are.
	Find func(words []string, max int) []Command

	prompt        string
	input         textinput.Model
	found         []Command
	at            int
	width, height int
}

// NewPalette makes a palette with an empty line.
func NewPalette(ask string, find func(words []string, max int) []Command) *Palette {
	in := textinput.New()
	in.Prompt = ""
	in.Placeholder = "type to find"
	in.Cursor.SetMode(cursor.CursorStatic)
	in.Focus()
	p := &Palette{Ask: ask, Find: find, prompt: ":", input: in}
	p.look()
	return p
}

// Choose asks for one of some items: with a cursor while they are few, else by name.
func Choose(p Picker) Dialog {
	if len(p.Items) <= manyItems {
		return &p
	}
	f := NewPalette(p.Ask, func(words []string, max int) (out []Command) {
		for i, it := range p.Items {
			if len(out) < max && Matches(words, it.Name, it.Note) {
				out = append(out, Command{Name: it.Name, Note: it.Note, Run: func() tea.Cmd { return p.pick(i) }})
			}
		}
		return out
	})
	f.prompt, f.at = "/", min(p.At, len(f.found)-1)
	return f
}

// paletteMax is the most commands that are listed: whoever has not found by then
// types on.
const paletteMax = 100

func (p *Palette) look() {
	p.found = p.Find(strings.Fields(strings.ToLower(p.input.Value())), paletteMax)
	p.at = 0
}

// Title is the question.
func (p *Palette) Title() string { return p.Ask }

// Resize keeps how much is visible.
func (p *Palette) Resize(t *Theme, w, h int) {
	p.width, p.height = min(w, 72), max(1, h-2)
	p.input.Width = max(1, p.width-4)
	cur := t.Plain.Reverse(true)
	p.input.TextStyle, p.input.PlaceholderStyle, p.input.Cursor.Style, p.input.Cursor.TextStyle = t.Plain, t.Faint, cur, t.Plain
}

// Update takes a key: what is no way to move or to leave is text.
func (p *Palette) Update(k tea.KeyMsg) (bool, tea.Cmd) {
	switch k.String() {
	case "up", "ctrl+p", "shift+tab":
		p.at = max(0, p.at-1)
	case "down", "ctrl+n", "tab":
		p.at = max(0, min(len(p.found)-1, p.at+1))
	case "pgup":
		p.at = max(0, p.at-p.height)
	case "pgdown":
		p.at = max(0, min(len(p.found)-1, p.at+p.height))
	case "esc", "ctrl+c":
		return true, nil
	case "enter":
		if p.at >= len(p.found) {
			return false, nil
		}
		return true, p.found[p.at].Run()
	default:
		was := p.input.Value()
		var cmd tea.Cmd
		if p.input, cmd = p.input.Update(k); p.input.Value() != was {
			p.look()
		}
		return false, cmd
	}
	return false, nil
}

// Lines is the line that is typed and what was found.
func (p *Palette) Lines(t *Theme) []string {
	lines := []string{t.Key.Render(p.prompt) + " " + Typed(p.input.View())}
	if len(p.found) == 0 {
		return append(lines, t.Dim.Render("  nothing is called that"))
	}
	name := 0
	from := max(0, min(p.at-p.height/2, len(p.found)-p.height))
	to := min(len(p.found), from+p.height)
	for _, c := range p.found[from:to] {
		name = max(name, min(Width(c.Name), p.width*2/3))
	}
	for i := from; i < to; i++ {
		lines = append(lines, p.row(t, i, name))
	}
	return lines
}

func (p *Palette) row(t *Theme, i, name int) string {
	c := p.found[i]
	text, note := Fit(c.Name, name), Clip(c.Note, max(0, p.width-name-4))
	if i == p.at {
		return t.Accent.Render(t.Glyph.Bar) + " " + t.Strong.Render(text) + "  " + t.Dim.Render(note)
	}
	return "  " + text + "  " + t.Dim.Render(note)
}

// Keys are the ways to choose.
func (p *Palette) Keys() []key.Binding {
	return []key.Binding{Bind("enter", "go", "enter"), Bind("↑↓", "move", "up", "down"), Bind("esc", "back", "esc")}
}

// Matches reports whether every word, in lower case, occurs in one of the texts.
func Matches(words []string, texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	for _, w := range words {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

package kit

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
)

func typed(p *Palette, text string) {
	for _, r := range text {
		p.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
}

// samplePalette offers verbs with a number each, and tells which one was chosen.
func samplePalette(chosen *string) *Palette {
	var all []Command
	for _, name := range []string{"pause dispatch", "quit", "go to the board", "go to the runs"} {
		all = append(all, Command{Name: name, Note: "note", Run: func() tea.Cmd { *chosen = name; return nil }})
	}
	return NewPalette("Do what?", func(words []string, max int) (out []Command) {
		for _, c := range all {
			if Matches(words, c.Name) && len(out) < max {
				out = append(out, c)
			}
		}
		return out
	})
}

func TestPaletteRunsWhatWasFound(t *testing.T) {
	for text, want := range map[string]string{"": "pause dispatch", "RUNS": "go to the runs", "board go": "go to the board"} {
		var chosen string
		p := samplePalette(&chosen)
		typed(p, text)
		if done, _ := p.Update(tea.KeyMsg{Type: tea.KeyEnter}); !done || chosen != want {
			t.Errorf("%q: done %v, chose %q, want %q", text, done, chosen, want)
		}
	}
}

func TestPaletteStaysOpenWhereNothingIsFound(t *testing.T) {
	var chosen string
	p := samplePalette(&chosen)
	typed(p, "sing")
	if done, _ := p.Update(tea.KeyMsg{Type: tea.KeyEnter}); done || chosen != "" {
		t.Errorf("done %v, chose %q", done, chosen)
	}
	p.Resize(NewTheme(Look{Profile: termenv.Ascii}), 40, 10)
	if text := strings.Join(p.Lines(NewTheme(Look{Profile: termenv.Ascii})), "\n"); !strings.Contains(text, "nothing is called that") {
		t.Error(text)
	}
}

func TestPaletteFitsItsRoom(t *testing.T) {
	th := NewTheme(Look{Profile: termenv.Ascii})
	var all []Command
	for n := range 60 {
		all = append(all, Command{Name: fmt.Sprint("command ", n), Note: strings.Repeat("long ", 30)})
	}
	p := NewPalette("?", func([]string, int) []Command { return all })
	for h := 1; h < 20; h++ {
		for w := 1; w < 90; w += 7 {
			p.Resize(th, w, h)
			for range 70 {
				p.Update(tea.KeyMsg{Type: tea.KeyDown})
			}
			lines := p.Lines(th)
			if len(lines) > max(2, h-1) {
				t.Fatalf("%dx%d: %d lines", w, h, len(lines))
			}
			if !strings.Contains(lines[len(lines)-1], "command 59") && w > 20 {
				t.Fatalf("%dx%d: the cursor's command is not shown: %q", w, h, lines)
			}
		}
	}
}

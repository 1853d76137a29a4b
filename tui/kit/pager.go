package kit

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Pager keeps a place in a text of Len lines of which Height are visible. The
// lines themselves stay with whoever owns them.
type Pager struct {
	Top, Height, Len int
	// Follow sticks to the end while the text grows.
	Follow bool
}

// PagerKeys are the bindings that Update knows, for help pages.
func PagerKeys() []key.Binding {
	return []key.Binding{
		Bind("↑/k ↓/j", "up, down"), Bind("pgup/ctrl+u", "page up"), Bind("pgdn/ctrl+d/space", "page down"),
		Bind("g", "to the top"), Bind("G", "to the end"),
	}
}

// Resize tells the pager how much there is and how much of it is visible.
func (p *Pager) Resize(height, length int) {
	p.Height, p.Len = max(0, height), length
	if p.Follow {
		p.Top = p.max()
	}
	p.Top = max(0, min(p.Top, p.max()))
}

// Update moves the place and reports whether the key was one of the pager's.
// Scrolling up lets go of the end; reaching it takes hold again where the pager
// follows at all.
func (p *Pager) Update(k tea.KeyMsg, follows bool) bool {
	top := p.Top
	switch k.String() {
	case "up", "k":
		top--
	case "down", "j":
		top++
	case "pgup", "ctrl+u", "ctrl+b":
		top -= max(1, p.Height-1)
	case "pgdown", "ctrl+d", "ctrl+f", " ":
		top += max(1, p.Height-1)
	case "g", "home":
		top = 0
	case "G", "end":
		top = p.max()
	default:
		return false
	}
	p.Top = max(0, min(top, p.max()))
	p.Follow = follows && p.Top == p.max()
	return true
}

// Window is the range of visible lines.
func (p *Pager) Window() (from, to int) { return p.Top, min(p.Len, p.Top+p.Height) }

func (p *Pager) max() int { return max(0, p.Len-p.Height) }

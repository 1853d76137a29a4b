package kit

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
)

// Bind makes a binding that carries its help. shown is what the help calls the
// keys.
func Bind(shown, does string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, does))
}

// Group is a titled set of bindings of a help page.
type Group struct {
	Title string
	Keys  []key.Binding
}

// Hints lays bindings out on one line of at most w cells, leaving out the last
// ones that do not fit.
func (t *Theme) Hints(keys []key.Binding, w int) string {
	var b strings.Builder
	used := 0
	for _, k := range keys {
		h := k.Help()
		n := Width(h.Key) + 1 + Width(h.Desc)
		if used > 0 {
			n += 3
		}
		if used+n > w {
			break
		}
		if used > 0 {
			b.WriteString("   ")
		}
		b.WriteString(t.Key.Render(h.Key) + " " + t.Dim.Render(h.Desc))
		used += n
	}
	return b.String()
}

// Help lays groups out in as many columns as w allows.
func (t *Theme) Help(groups []Group, w int) []string {
	var lines []string
	for i, g := range groups {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, t.Strong.Render(g.Title))
		lines = append(lines, t.helpRows(g.Keys, w)...)
	}
	return lines
}

func (t *Theme) helpRows(keys []key.Binding, w int) []string {
	kw, dw := 0, 0
	for _, k := range keys {
		kw, dw = max(kw, Width(k.Help().Key)), max(dw, Width(k.Help().Desc))
	}
	cell := kw + dw + 5
	per := max(1, min(3, w/max(1, cell)))
	rows := (len(keys) + per - 1) / per
	lines := make([]string, rows)
	for i, k := range keys {
		r := i % rows
		lines[r] += "  " + t.Key.Render(Fit(k.Help().Key, kw)) + "  " + t.Dim.Render(Fit(k.Help().Desc, dw)) + " "
	}
	return lines
}

package board

import (
	"github.com/charmbracelet/bubbles/key"

	"iterion/tui/kit"
	"iterion/tui/screen"
)

type keyMap struct {
	up, down, left, right, top, end, pageUp, pageDown key.Binding
	open, log, filter, clear                          key.Binding
	create, move, back, forth, comment                key.Binding
	cancel, clearRun                                  key.Binding
}

func keys() keyMap {
	return keyMap{
		up: kit.Bind("↑/k", "up", "up", "k"), down: kit.Bind("↓/j", "down", "down", "j"),
		left: kit.Bind("←/h", "column left", "left", "h"), right: kit.Bind("→/l", "column right", "right", "l"),
		top: kit.Bind("g", "first card", "g", "home"), end: kit.Bind("G", "last card", "G", "end"),
		pageUp: kit.Bind("pgup", "page up", "pgup", "ctrl+u"), pageDown: kit.Bind("pgdn", "page down", "pgdown", "ctrl+d"),
		open: kit.Bind("enter", "open", "enter"), log: kit.Bind("o", "log", "o"),
		filter: kit.Bind("/", "filter", "/"), clear: kit.Bind("esc", "clear the filter", "esc"),
		create: kit.Bind("n", "new card", "n"), move: kit.Bind("m", "move", "m"),
		back: kit.Bind("<", "move a column left", "<"), forth: kit.Bind(">", "move a column right", ">"),
		comment: kit.Bind("c", "comment", "c"), cancel: kit.Bind("x", "cancel run", "x"),
		clearRun: kit.Bind("L", "clear last run", "L"),
	}
}

// Keys are the hints of the board.
func (s *Screen) Keys(e *screen.Env) []key.Binding {
	if s.typing {
		return []key.Binding{kit.Bind("enter", "keep the filter", "enter"), kit.Bind("esc", "clear it", "esc")}
	}
	k := s.keys
	return []key.Binding{k.open, k.create, k.move, k.filter, k.log, k.comment, k.cancel}
}

// Help is every binding of the board.
func (s *Screen) Help(*screen.Env) []kit.Group {
	k := s.keys
	return []kit.Group{
		{Title: "Look", Keys: []key.Binding{k.up, k.down, k.left, k.right, k.top, k.end, k.pageUp, k.pageDown, k.open, k.log, k.filter, k.clear}},
		{Title: "Act on the card", Keys: []key.Binding{k.create, k.move, k.back, k.forth, k.comment, k.cancel, k.clearRun}},
	}
}

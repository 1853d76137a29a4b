package board

import (
	"github.com/charmbracelet/bubbles/key"

	"iterion/native/run"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

type keyMap struct {
	up, down, left, right, top, end, pageUp, pageDown key.Binding
	open, log, filter, clear                          key.Binding
	view, order, group, mark, markAll, copyID         key.Binding
	create, edit, move, back, forth, comment          key.Binding
	assign, labels, answer, cancel, clearRun          key.Binding
}

func keys() keyMap {
	return keyMap{
		up: kit.Bind("↑/k", "up", "up", "k"), down: kit.Bind("↓/j", "down", "down", "j"),
		left: kit.Bind("←/h", "column left", "left", "h"), right: kit.Bind("→/l", "column right", "right", "l"),
		top: kit.Bind("g", "first card", "g", "home"), end: kit.Bind("G", "last card", "G", "end"),
		pageUp: kit.Bind("pgup", "page up", "pgup", "ctrl+u"), pageDown: kit.Bind("pgdn", "page down", "pgdown", "ctrl+d"),
		open: kit.Bind("enter", "open", "enter"), log: kit.Bind("o", "log", "o"),
		filter: kit.Bind("/", "filter", "/"), clear: kit.Bind("esc", "clear marks, filter, view", "esc"),
		view: kit.Bind("v", "saved views", "v"), order: kit.Bind("s", "order", "s"), group: kit.Bind("b", "groups", "b"),
		mark: kit.Bind("space", "mark for the next verb", " "), markAll: kit.Bind("ctrl+a", "mark the column", "ctrl+a"),
		copyID: kit.Bind("y", "copy the id", "y"), edit: kit.Bind("e", "edit", "e"),
		assign: kit.Bind("a", "bot", "a"), labels: kit.Bind("t", "labels", "t"),
		create: kit.Bind("n", "new card", "n"), move: kit.Bind("m", "move", "m"),
		back: kit.Bind("<", "move a column left", "<"), forth: kit.Bind(">", "move a column right", ">"),
		comment: kit.Bind("c", "comment", "c"), cancel: kit.Bind("x", "cancel run", "x"),
		answer: kit.Bind("A", "answer its question", "A"), clearRun: kit.Bind("L", "clear last run", "L"),
	}
}

// Keys are the hints of the board.
func (s *Screen) Keys(e *screen.Env) []key.Binding {
	if s.typing {
		return []key.Binding{kit.Bind("enter", "keep the filter", "enter"), kit.Bind("esc", "clear it", "esc")}
	}
	k := s.keys
	if len(s.marked) > 0 {
		return []key.Binding{k.mark, k.move, k.assign, k.labels, kit.Bind("esc", "no marks", "esc")}
	}
	if c := s.Selected(e); c != nil {
		if _, r := e.Mirror.CardRun(c); r != nil && r.Status == run.PausedHuman {
			return []key.Binding{k.answer, k.open, k.create, k.edit, k.move, k.filter, k.log, k.comment, k.cancel}
		}
	}
	return []key.Binding{k.open, k.create, k.edit, k.move, k.filter, k.log, kit.Bind("space", "mark", " "), k.comment, k.cancel}
}

// Help is every binding of the board.
func (s *Screen) Help(*screen.Env) []kit.Group {
	k := s.keys
	return []kit.Group{
		{Title: "Look", Keys: []key.Binding{k.up, k.down, k.left, k.right, k.top, k.end, k.pageUp, k.pageDown, k.open, k.log, k.filter, k.view, k.order, k.group, k.clear, k.copyID}},
		{Title: "Act on the card", Keys: []key.Binding{k.create, k.edit, k.move, k.back, k.forth, k.mark, k.markAll, k.assign, k.labels, k.comment, k.answer, k.cancel, k.clearRun}},
	}
}

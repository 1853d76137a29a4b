package card

import (
	"github.com/charmbracelet/bubbles/key"

	"iterion/tui/kit"
	"iterion/tui/screen"
)

type keyMap struct {
	leave, left, right, log, move, edit, assign, labels, comment, copyID, answer, cancel, clearRun key.Binding
}

func keys() keyMap {
	return keyMap{
		leave: kit.Bind("esc", "back", "esc", "backspace"),
		left:  kit.Bind("←/h", "the body", "left", "h"), right: kit.Bind("→/l", "the side pane", "right", "l"),
		log: kit.Bind("o", "log", "o", "enter"), move: kit.Bind("m", "move", "m"),
		edit: kit.Bind("e", "edit", "e"), assign: kit.Bind("a", "bot", "a"), labels: kit.Bind("t", "labels", "t"),
		copyID:  kit.Bind("y", "copy the id", "y"),
		comment: kit.Bind("c", "comment", "c"), cancel: kit.Bind("x", "cancel run", "x"),
		answer: kit.Bind("A", "answer", "A"), clearRun: kit.Bind("L", "clear last run", "L"),
	}
}

// Keys are the hints of the card.
func (s *Screen) Keys(*screen.Env) []key.Binding {
	k := s.keys
	return []key.Binding{k.leave, k.edit, k.move, k.comment, k.log, k.assign, k.labels, k.cancel, k.clearRun}
}

// Help is every binding of the card.
func (s *Screen) Help(*screen.Env) []kit.Group {
	k := s.keys
	return []kit.Group{
		{Title: "Look", Keys: append(kit.PagerKeys(), k.left, k.right, k.log, k.copyID, k.leave)},
		{Title: "Act on the card", Keys: []key.Binding{k.edit, k.move, k.assign, k.labels, k.comment, k.answer, k.cancel, k.clearRun}},
	}
}

package triggers

import (
	"github.com/charmbracelet/bubbles/key"

	"iterion/tui/kit"
	"iterion/tui/screen"
)

type keyMap struct {
	open, left, right, toggle, retry, drop, run, card, leave key.Binding
}

func keys() keyMap {
	return keyMap{
		open: kit.Bind("enter", "explain", "enter"),
		left: kit.Bind("←/h", "the subscriptions", "left", "h"), right: kit.Bind("→/l", "the effects", "right", "l"),
		toggle: kit.Bind("D", "take out of force, or put in", "D"),
		retry:  kit.Bind("R", "try again", "R"), drop: kit.Bind("X", "drop", "X"),
		run: kit.Bind("o", "the run and its log", "o"), card: kit.Bind("i", "the card", "i"),
		leave: kit.Bind("esc", "back", "esc", "backspace"),
	}
}

// Keys are the hints of the screen.
func (s *Screen) Keys(*screen.Env) []key.Binding {
	k := s.keys
	if s.panes.InLower {
		return []key.Binding{k.open, k.retry, k.run, k.card, k.left, k.drop}
	}
	return []key.Binding{k.open, k.right, k.toggle}
}

// Help is every binding of the screen.
func (s *Screen) Help(*screen.Env) []kit.Group {
	k := s.keys
	return []kit.Group{
		{Title: "Look", Keys: append(kit.PagerKeys(), k.open, k.left, k.right, k.run, k.card, k.leave)},
		{Title: "Act", Keys: []key.Binding{k.retry, k.drop, k.toggle}},
	}
}

// Typing: there is nothing to type.
func (s *Screen) Typing() bool { return false }

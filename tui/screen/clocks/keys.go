package clocks

import (
	"github.com/charmbracelet/bubbles/key"

	"iterion/tui/kit"
	"iterion/tui/screen"
)

type keyMap struct{ open, left, right, now, toggle, run, cancel, leave key.Binding }

func keys() keyMap {
	return keyMap{
		open: kit.Bind("enter", "explain", "enter"),
		left: kit.Bind("←/h", "the schedules", "left", "h"), right: kit.Bind("→/l", "the ticks", "right", "l"),
		now: kit.Bind("N", "run now", "N"), toggle: kit.Bind("D", "take out of force, or put in", "D"),
		run: kit.Bind("o", "the run and its log", "o"), cancel: kit.Bind("x", "cancel the run in the way", "x"),
		leave: kit.Bind("esc", "back", "esc", "backspace"),
	}
}

// Keys are the hints of the screen.
func (s *Screen) Keys(*screen.Env) []key.Binding {
	k := s.keys
	if s.panes.InLower {
		return []key.Binding{k.open, k.left, k.run, k.cancel}
	}
	return []key.Binding{k.open, k.now, k.right, k.run, k.cancel, k.toggle}
}

// Help is every binding of the screen.
func (s *Screen) Help(*screen.Env) []kit.Group {
	k := s.keys
	return []kit.Group{
		{Title: "Look", Keys: append(kit.PagerKeys(), k.open, k.left, k.right, k.run, k.leave)},
		{Title: "Act", Keys: []key.Binding{k.now, k.toggle, k.cancel}},
	}
}

// Typing: there is nothing to type.
func (s *Screen) Typing() bool { return false }

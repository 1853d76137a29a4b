package daemon

import (
	"github.com/charmbracelet/bubbles/key"

	"iterion/tui/kit"
	"iterion/tui/screen"
)

type keyMap struct{ open, run, answer, cancel, reload, leave key.Binding }

func keys() keyMap {
	return keyMap{
		open: kit.Bind("enter", "card", "enter"), run: kit.Bind("o", "run and its log", "o"),
		answer: kit.Bind("A", "answer", "A"), cancel: kit.Bind("x", "cancel run", "x"), reload: kit.Bind("R", "read the settings again", "R"),
		leave: kit.Bind("esc", "back", "esc", "backspace"),
	}
}

// Keys are the hints of the screen.
func (s *Screen) Keys(*screen.Env) []key.Binding {
	return []key.Binding{s.keys.open, s.keys.run, kit.Bind("p", "pause", "p"), s.keys.reload, s.keys.cancel}
}

// Help is every binding of the screen.
func (s *Screen) Help(*screen.Env) []kit.Group {
	k := s.keys
	return []kit.Group{
		{Title: "Look", Keys: append(kit.PagerKeys(), k.open, k.run, k.leave)},
		{Title: "Act", Keys: []key.Binding{k.answer, k.cancel, k.reload}},
	}
}

// Typing: there is nothing to type.
func (s *Screen) Typing() bool { return false }

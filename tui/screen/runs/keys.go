package runs

import (
	"github.com/charmbracelet/bubbles/key"

	"iterion/native/run"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

type keyMap struct {
	open, leave, search, card, cancel key.Binding
	follow, next, prev, left, right   key.Binding
	wrap, answer, pause               key.Binding
	shell, editor                     key.Binding
}

func keys() keyMap {
	return keyMap{
		open: kit.Bind("enter", "open", "enter"), leave: kit.Bind("esc", "back", "esc", "backspace"),
		search: kit.Bind("/", "filter, search the log", "/"), card: kit.Bind("o", "card", "o"),
		cancel: kit.Bind("x", "cancel run", "x"), follow: kit.Bind("f", "follow", "f"),
		wrap: kit.Bind("w", "wrap long lines", "w"), answer: kit.Bind("A", "answer", "A"),
		pause: kit.Bind("P", "pause the run, or let it go on", "P"),
		shell: kit.Bind("!", "shell in its folder", "!"), editor: kit.Bind("E", "editor in its folder", "E"),
		next: kit.Bind("n", "next older match", "n"), prev: kit.Bind("N", "next newer match", "N"),
		left: kit.Bind("←/h", "log to the left", "left", "h"), right: kit.Bind("→/l", "log to the right", "right", "l"),
	}
}

// Keys are the hints of the list or of the run.
func (s *Screen) Keys(e *screen.Env) []key.Binding {
	k := s.keys
	r := s.selected(e)
	asks := r != nil && r.Status == run.PausedHuman && !s.typing
	switch {
	case s.typing:
		return []key.Binding{kit.Bind("enter", "go", "enter"), kit.Bind("esc", "back", "esc")}
	case s.detail != nil && asks:
		return []key.Binding{k.leave, k.answer, kit.Bind("/", "search", "/"), k.follow, k.wrap, k.card, k.cancel}
	case s.detail != nil:
		return []key.Binding{k.leave, kit.Bind("/", "search", "/"), k.follow, k.wrap, k.card, k.answer, k.cancel}
	}
	if asks {
		return []key.Binding{k.answer, k.open, kit.Bind("/", "filter", "/"), k.card, k.cancel}
	}
	return []key.Binding{k.open, kit.Bind("/", "filter", "/"), k.card, k.answer, k.cancel}
}

// Help is every binding of runs.
func (s *Screen) Help(*screen.Env) []kit.Group {
	k := s.keys
	return []kit.Group{
		{Title: "Look", Keys: append(kit.PagerKeys(), k.open, k.search, k.card, k.leave)},
		{Title: "In a log", Keys: []key.Binding{k.follow, k.wrap, k.next, k.prev, k.left, k.right}},
		{Title: "Act on the run", Keys: []key.Binding{k.answer, k.pause, k.cancel, k.shell, k.editor}},
	}
}

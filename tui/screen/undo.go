package screen

import (
	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
)

// Undo takes back something that the person did here.
type Undo struct {
	Text string // what is taken back
	// Do takes it back, as far as nobody has changed it since.
	Do func(e *Env) tea.Cmd
}

// undosMax is how many verbs can be taken back.
const undosMax = 50

// Remember keeps the way back of a verb.
func (e *Env) Remember(u *Undo) {
	if u == nil {
		return
	}
	e.Undos = append(e.Undos, *u)
	if len(e.Undos) > undosMax {
		e.Undos = e.Undos[1:]
	}
}

// TakeBack undoes the newest verb that can be.
func (e *Env) TakeBack() tea.Cmd {
	if !e.May() {
		return nil
	}
	n := len(e.Undos)
	if n == 0 {
		e.Say(kit.MarkQuiet, "there is nothing to take back")
		return nil
	}
	u := e.Undos[n-1]
	e.Undos = e.Undos[:n-1]
	return u.Do(e)
}

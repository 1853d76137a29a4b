package screen

import (
	"context"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/tui/kit"
	"iterion/tui/mirror"
)

// Screen is one page of the interface. It is owned by the root, which gives it
// the keys while it is in front and every other message always.
type Screen interface {
	// Update takes a message. It never blocks; what does is a command.
	Update(e *Env, msg tea.Msg) tea.Cmd
	// View draws e.Width by e.Height cells or less; the root clips and pads.
	View(e *Env) []string
	// Keys are the bindings worth a hint, the most useful first.
	Keys(e *Env) []key.Binding
	// Help is every binding of the screen.
	Help(e *Env) []kit.Group
	// Typing reports whether the screen has a line of text open, so that letters
	// are letters.
	Typing() bool
}

// Env is what the root lends to a screen for the length of a call.
type Env struct {
	Ctx      context.Context // ends with the sitting
	Mirror   *mirror.Mirror
	Theme    *kit.Theme
	Source   Source // nil while there is no connection
	Bots     []control.BotInfo
	ReadOnly bool
	By       string
	Now      time.Time

	Width, Height int // the screen's area

	// What a screen asks of the root; the root takes it after the call.
	Dialog kit.Dialog
	Place  *Place
	Toast  *Toast
	// Drafts keep half-filled forms that were closed.
	Drafts map[string]*kit.Form
	// Undos are what the person did here and can take back, the newest last.
	Undos  []Undo
	Getenv func(string) string // nil: nothing is set
	// Copy puts a text on the terminal's clipboard; nil where there is none.
	Copy func(text string)
}

// Place is where to go.
type Place struct {
	Name string // of the screen
	ID   string // card or run; empty: as the screen was left
	Back bool   // return to where one came from
}

// The names of the screens.
const (
	Board    = "board"
	Card     = "card"
	Runs     = "runs"
	Daemon   = "daemon"
	Clocks   = "clocks"
	Triggers = "triggers"
)

// Toast is a passing line for the person.
type Toast struct {
	Mark kit.Mark
	Text string // clean
}

// Refreshed tells screens that the mirror changed.
type Refreshed struct{}

// Resized tells screens that their area changed.
type Resized struct{}

// Click is a click with the left button, in cells of the screen's area.
type Click struct{ X, Y int }

// Done is the end of a verb.
type Done struct {
	Text string // what was done
	Err  error
	// Undo takes it back; nil: it cannot be.
	Undo *Undo
	// Draft is the form that asked for it; it opens again when Err is set.
	Draft    *kit.Form
	DraftKey string
}

// verbTime bounds one verb; the daemon answers in milliseconds or is stuck.
const verbTime = 20 * time.Second

// Open shows a dialog above the screen.
func (e *Env) Open(d kit.Dialog) { e.Dialog = d }

// Go changes the screen.
func (e *Env) Go(name, id string) { e.Place = &Place{Name: name, ID: id} }

// Say shows a passing line.
func (e *Env) Say(m kit.Mark, text string) { e.Toast = &Toast{Mark: m, Text: text} }

// May reports whether verbs can be used now, and tells the person why not.
func (e *Env) May() bool {
	switch {
	case e.ReadOnly:
		e.Say(kit.MarkBlocked, "read-only: this screen was started with --read-only")
	case e.Source == nil:
		e.Say(kit.MarkBlocked, "no daemon is connected, so nothing can be changed")
	default:
		return true
	}
	return false
}

// Do runs a verb off the drawing path and reports its end as a Done.
func (e *Env) Do(f func(ctx context.Context, src Source) (string, error)) tea.Cmd {
	return e.DoDraft("", nil, f)
}

// DoDraft is Do for a verb that a form asked for.
func (e *Env) DoDraft(name string, form *kit.Form, f func(ctx context.Context, src Source) (string, error)) tea.Cmd {
	ctx, src := e.Ctx, e.Source
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, verbTime)
		defer cancel()
		text, err := f(ctx, src)
		return Done{Text: kit.Clean(text), Err: err, Draft: form, DraftKey: name}
	}
}

// Fetch reads something off the drawing path; f makes the message. Without a
// connection it does nothing.
func (e *Env) Fetch(f func(ctx context.Context, src Source) tea.Msg) tea.Cmd {
	ctx, src := e.Ctx, e.Source
	if src == nil {
		return nil
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, verbTime)
		defer cancel()
		return f(ctx, src)
	}
}

// Show tells a screen that it comes to the front, to show ID when that is set.
type Show struct{ ID string }

// Hide tells a screen that it is no longer in front.
type Hide struct{}

package tui

import (
	"context"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
	"iterion/tui/screen/board"
	"iterion/tui/screen/card"
	"iterion/tui/screen/clocks"
	"iterion/tui/screen/daemon"
	"iterion/tui/screen/runs"
	"iterion/tui/screen/triggers"
)

// root is the model of the program: size, focus, routing, connection, toasts.
type root struct {
	opts Options
	env  *screen.Env
	keys keyMap
	// named are the keys that have a name instead of a character.
	named map[string]tea.KeyType

	width, height int
	screens       map[string]screen.Screen
	order         []string // of the number keys
	at            string
	back          []screen.Place // where esc leads

	link   link
	toast  *screen.Toast
	fade   int // counts toasts, so that each fades in its own time
	dialog kit.Dialog
	help   *helpPage

	offering   bool // an empty folder: whether to make a board
	again      chan<- struct{}
	noMouse    bool  // the mouse was given to the terminal
	cancelRuns bool  // q was answered with "cancel them"
	failure    error // why the program ends by itself
	fail       func(error)
	clock      func() time.Time
}

// link is how the connection stands.
type link struct {
	lost  error // nil while connected, or before the first attempt ended
	retry time.Time
}

// tick is a second gone by: spans of time on screen are old.
type tick struct{}

// faded is the end of a toast's time.
type faded struct{ n int }

func newRoot(ctx context.Context, o Options, theme *kit.Theme, again chan<- struct{}, clock func() time.Time) *root {
	return &root{
		opts: o, keys: keys(), named: keyTypes(), again: again, clock: clock,
		env: &screen.Env{Ctx: ctx, Mirror: mirror.New(), Theme: theme, ReadOnly: o.ReadOnly, By: o.By, Now: clock(), Drafts: map[string]*kit.Form{}, Copy: clipboardOf(o.Out), Getenv: o.Getenv},
		screens: map[string]screen.Screen{
			screen.Board: board.New(), screen.Card: card.New(), screen.Runs: runs.New(), screen.Clocks: clocks.New(), screen.Triggers: triggers.New(), screen.Daemon: daemon.New(),
		},
		order: []string{screen.Board, screen.Card, screen.Runs, screen.Clocks, screen.Triggers, screen.Daemon},
		at:    screen.Board,
	}
}

// Init starts the clock of the screen.
func (m *root) Init() tea.Cmd { return everySecond() }

func everySecond() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return tick{} }) }

// Update takes a message and never blocks.
func (m *root) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	model = m // also after a panic
	defer m.caught("update the screen", &cmd)
	m.env.Now = m.clock()
	cmd = m.update(msg)
	return m, guard(tea.Batch(cmd, m.settle()))
}

func (m *root) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m.resize()
	case tea.KeyMsg:
		return m.typed(msg)
	case tea.MouseMsg:
		return m.mouse(msg)
	case chosen:
		return m.press(msg.key)
	case tick:
		return tea.Batch(everySecond(), m.tell(screen.Refreshed{}))
	case faded:
		if msg.n == m.fade {
			m.toast = nil
		}
	case screen.BotsKnown:
		m.env.Bots = msg.Bots
	case screen.EditFetched:
		m.env.OpenEdit(msg)
	case screen.QuestionFetched:
		m.env.OpenAnswer(msg)
	case screen.Done:
		return m.done(msg)
	case connected, framed, lost, noStore, boardMade, broken:
		return m.fed(msg)
	default:
		return m.tell(msg)
	}
	return nil
}

// fed takes what the feed says.
func (m *root) fed(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case connected:
		m.env.Source, m.offering = msg.source, false
		return m.env.FetchBots()
	case framed:
		m.link = link{}
		m.env.Mirror.Apply(msg.frame)
		return tea.Batch(m.resize(), m.tell(screen.Refreshed{}))
	case lost:
		m.env.Source, m.link = nil, link{lost: msg.err, retry: msg.retry}
		return m.resize()
	case noStore:
		m.offering = true
	case boardMade:
		return m.boardMade(msg)
	case broken:
		m.failure = msg.err
		return tea.Quit
	}
	return nil
}

// tell gives a message to every screen.
func (m *root) tell(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, name := range m.order {
		cmds = append(cmds, m.screens[name].Update(m.env, msg))
	}
	return tea.Batch(cmds...)
}

// resize tells the screens and the dialog how much room they have.
func (m *root) resize() tea.Cmd {
	w, h := m.width, m.bodyRows()
	if m.dialog != nil {
		m.dialog.Resize(m.env.Theme, m.dialogWidth(), m.dialogRows())
	}
	if w == m.env.Width && h == m.env.Height {
		return nil
	}
	m.env.Width, m.env.Height = w, h
	return m.tell(screen.Resized{})
}

// typed takes keys. Those that were pressed faster than they were read come in one
// message, and are meant one by one unless they were pasted.
func (m *root) typed(k tea.KeyMsg) tea.Cmd {
	if k.Type != tea.KeyRunes || k.Paste || len(k.Runes) < 2 {
		return m.press(k)
	}
	var cmds []tea.Cmd
	for _, r := range k.Runes {
		one := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}
		cmds = append(cmds, m.press(one), m.settle())
	}
	return tea.Batch(cmds...)
}

// press routes a key: dialog, help, the line being typed, the keys that work
// everywhere, the screen.
func (m *root) press(k tea.KeyMsg) tea.Cmd {
	if key.Matches(k, m.keys.suspend) {
		return tea.Suspend
	}
	m.toast = nil
	front := m.screens[m.at]
	switch {
	case m.dialog != nil:
		return m.answer(k)
	case m.help != nil:
		m.helpKey(k)
		return nil
	case m.offering:
		return m.offerKey(k)
	case !front.Typing():
		if cmd, ok := m.everywhere(k); ok {
			return cmd
		}
	case key.Matches(k, m.keys.interrupt):
		return front.Update(m.env, tea.KeyMsg{Type: tea.KeyEsc})
	}
	if !m.env.Mirror.Ready {
		return nil
	}
	return front.Update(m.env, k)
}

// answer gives a key to the dialog. What it leads to may be another dialog.
func (m *root) answer(k tea.KeyMsg) tea.Cmd {
	done, cmd := m.dialog.Update(k)
	if done {
		m.dialog = nil
	} else {
		m.dialog.Resize(m.env.Theme, m.dialogWidth(), m.dialogRows())
	}
	return cmd
}

// settle does what a screen asked for in its Env.
func (m *root) settle() tea.Cmd {
	var cmds []tea.Cmd
	if p := m.env.Place; p != nil {
		m.env.Place = nil
		cmds = append(cmds, m.move(*p))
	}
	if d := m.env.Dialog; d != nil {
		m.env.Dialog, m.dialog = nil, d
		d.Resize(m.env.Theme, m.dialogWidth(), m.dialogRows())
	}
	if t := m.env.Toast; t != nil {
		m.env.Toast = nil
		cmds = append(cmds, m.show(*t))
	}
	return tea.Batch(cmds...)
}

// Times that a toast stays. Bad news stays until a key is pressed.
const toastTime = 4 * time.Second

func (m *root) show(t screen.Toast) tea.Cmd {
	m.toast = &t
	m.fade++
	if t.Mark == kit.MarkBad {
		return nil
	}
	n := m.fade
	return tea.Tick(toastTime, func(time.Time) tea.Msg { return faded{n} })
}

// done is the end of a verb: its words, and on an error the form again.
func (m *root) done(d screen.Done) tea.Cmd {
	cmd := m.tell(d)
	m.env.Remember(d.Undo)
	if d.Err == nil {
		if d.Text != "" {
			m.env.Say(kit.MarkGood, d.Text)
		}
		return cmd
	}
	m.env.Say(kit.MarkBad, kit.Line(d.Err.Error()))
	if d.Draft != nil {
		d.Draft.Problem = kit.Line(d.Err.Error())
		if d.DraftKey != "" {
			m.env.Drafts[d.DraftKey] = d.Draft
		}
		if m.dialog == nil {
			m.env.Open(d.Draft)
		}
	}
	return cmd
}

// move brings a screen to the front.
func (m *root) move(p screen.Place) tea.Cmd {
	if p.Back {
		p = screen.Place{Name: screen.Board}
		if n := len(m.back); n > 0 {
			p, m.back = m.back[n-1], m.back[:n-1]
		}
	} else if p.Name != m.at {
		m.back = append(m.back, screen.Place{Name: m.at})
	}
	hide := m.screens[m.at].Update(m.env, screen.Hide{})
	m.at = p.Name
	return tea.Batch(hide, m.screens[m.at].Update(m.env, screen.Show{ID: p.ID}))
}

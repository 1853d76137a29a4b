package runs

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/native/run"
	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// Screen is the list of runs, or one run. New makes one that shows the list.
type Screen struct {
	keys keyMap

	rows  []*run.Record // in display order
	words []string      // the list's filter
	id    string        // run under the cursor
	at    int           // its index when last seen
	pg    kit.Pager

	typing bool // the filter or search line is open
	input  textinput.Model

	front  bool
	detail *detail // nil: the list
	gen    int     // counts details, so that late messages find no wrong one
	wrap   bool    // the person wants long rows wrapped
}

// New makes the screen.
func New() *Screen {
	in := textinput.New()
	in.Prompt = ""
	in.Cursor.SetMode(cursor.CursorStatic)
	return &Screen{keys: keys(), input: in}
}

// Typing reports whether the filter or search line is open.
func (s *Screen) Typing() bool { return s.typing }

// Update takes a message.
func (s *Screen) Update(e *screen.Env, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Show:
		s.front = true
		s.settle(e)
		if msg.ID != "" {
			return s.open(e, msg.ID, true)
		}
		return s.resume(e)
	case screen.Hide:
		s.front = false
	case screen.Refreshed:
		if !s.front { // the list is made when it is looked at
			return nil
		}
		s.settle(e)
		return s.resume(e)
	case screen.Resized:
		s.settle(e)
		s.fit(e)
	case screen.Click:
		return s.click(e, msg)
	case tea.KeyMsg:
		return s.key(e, msg)
	default:
		return s.logs(e, msg)
	}
	return nil
}

// settle sorts the list anew and finds the cursor's run again.
func (s *Screen) settle(e *screen.Env) {
	s.rows = s.rows[:0]
	for _, live := range []bool{true, false} {
		for _, r := range e.Mirror.Runs() {
			if mirror.Active(r) == live && s.match(e, r) {
				s.rows = append(s.rows, r)
			}
		}
	}
	at := slices.IndexFunc(s.rows, func(r *run.Record) bool { return r.ID == s.id })
	if at < 0 {
		at = max(0, min(s.at, len(s.rows)-1))
	}
	if s.pg.Top > 0 {
		s.pg.Top += at - s.at
	}
	s.put(e, at)
}

func (s *Screen) match(e *screen.Env, r *run.Record) bool {
	if len(s.words) == 0 {
		return true
	}
	text := strings.ToLower(strings.Join([]string{r.ID, r.Bot, string(r.Status), title(e, r)}, "\n"))
	for _, w := range s.words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// put sets the cursor on a row and scrolls by as little as shows it.
func (s *Screen) put(e *screen.Env, at int) {
	s.at, s.id = at, ""
	if at < len(s.rows) {
		s.id = s.rows[at].ID
	}
	s.pg.Resize(s.listRows(e), len(s.rows))
	s.pg.Top = max(min(s.pg.Top, at), at-max(1, s.pg.Height)+1, 0)
}

// selected is the run under the cursor or on screen, nil when there is none.
func (s *Screen) selected(e *screen.Env) *run.Record {
	if s.detail != nil {
		return e.Mirror.Run(s.detail.id)
	}
	return e.Mirror.Run(s.id)
}

func (s *Screen) key(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	switch {
	case s.typing:
		return s.edit(e, k)
	case s.detail != nil:
		return s.detailKey(e, k)
	}
	return s.listKey(e, k)
}

// click puts the cursor on a run, and opens the one that it is on.
func (s *Screen) click(e *screen.Env, c screen.Click) tea.Cmd {
	at := s.pg.Top + c.Y - listHead
	switch {
	case s.detail != nil || c.Y < listHead || at >= len(s.rows):
		return nil
	case at == s.at:
		return s.open(e, s.rows[at].ID, false)
	}
	s.put(e, at)
	return nil
}

func (s *Screen) listKey(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	if by, ok := s.stepOf(k); ok {
		if len(s.rows) > 0 {
			s.put(e, max(0, min(s.at+by, len(s.rows)-1)))
		}
		return nil
	}
	r := s.selected(e)
	switch {
	case key.Matches(k, s.keys.leave) && len(s.words) > 0:
		s.filter(e, "")
	case key.Matches(k, s.keys.leave):
		e.Place = &screen.Place{Back: true}
	case key.Matches(k, s.keys.search):
		s.typing = true
		s.input.Focus()
	case r == nil:
	case key.Matches(k, s.keys.open):
		return s.open(e, r.ID, false)
	default:
		return s.act(e, k, r)
	}
	return nil
}

// act is a verb on a run, in the list and in the detail.
func (s *Screen) act(e *screen.Env, k tea.KeyMsg, r *run.Record) tea.Cmd {
	switch {
	case key.Matches(k, s.keys.answer):
		return e.AskAnswer(r)
	case key.Matches(k, s.keys.pause):
		return e.PauseOrResume(r)
	case key.Matches(k, s.keys.shell):
		return e.OpenShell(r.Workdir)
	case key.Matches(k, s.keys.editor):
		return e.OpenEditor(r.Workdir)
	case key.Matches(k, s.keys.cancel):
		e.AskCancelRun(r.ID, r, title(e, r))
	case key.Matches(k, s.keys.card) && r.Source.IssueID != "":
		e.Go(screen.Card, r.Source.IssueID)
	case key.Matches(k, s.keys.card):
		e.Say(kit.MarkQuiet, "this run belongs to no card")
	}
	return nil
}

func (s *Screen) stepOf(k tea.KeyMsg) (int, bool) {
	page := max(1, s.pg.Height-1)
	switch k.String() {
	case "up", "k":
		return -1, true
	case "down", "j":
		return 1, true
	case "pgup", "ctrl+u":
		return -page, true
	case "pgdown", "ctrl+d", " ":
		return page, true
	case "g", "home":
		return -1 << 30, true
	case "G", "end":
		return 1 << 30, true
	}
	return 0, false
}

// edit is a key while the filter or search line is open.
func (s *Screen) edit(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		s.typing = false
		if s.detail != nil {
			return s.detail.look(e, s.input.Value(), -1)
		}
		return nil
	case "esc", "ctrl+c":
		s.typing = false
		if s.detail == nil {
			s.filter(e, "")
		}
		return nil
	}
	var cmd tea.Cmd
	s.input, cmd = s.input.Update(k)
	if s.detail == nil {
		s.filter(e, s.input.Value())
	}
	return cmd
}

func (s *Screen) filter(e *screen.Env, text string) {
	if text == "" {
		s.input.SetValue("")
	}
	s.words = strings.Fields(strings.ToLower(text))
	s.settle(e)
}

// title is what a run is about: its card, or its own name.
func title(e *screen.Env, r *run.Record) string {
	if c := e.Mirror.Card(r.Source.IssueID); c != nil {
		return kit.Line(c.Title)
	}
	return kit.Line(r.Name)
}

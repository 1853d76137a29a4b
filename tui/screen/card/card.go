package card

import (
	"context"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/tui/kit"
	"iterion/tui/markdown"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// Screen is one card. New makes one that shows none yet.
type Screen struct {
	keys keyMap

	front  bool
	id     string
	issue  *board.Issue // with body and comments; nil until fetched
	why    []dispatch.Verdict
	err    error // of the last fetch of the card
	whyErr error // of the last fetch of the verdicts
	asking bool  // a fetch is under way
	askedV int   // mirror version that the last fetch answers to
	asked  time.Time

	body      []string // rendered
	bodyOf    string   // the text that body shows
	bodyWidth int      // the width that it was laid out for
	rendering bool

	main, side     []string // lines of the two panes; side is empty on a narrow window
	mainPg, sidePg kit.Pager
	sideFocused    bool
	mainWide       int
}

// New makes the screen.
func New() *Screen { return &Screen{keys: keys()} }

// Typing is never true: text is typed in dialogs.
func (s *Screen) Typing() bool { return false }

// Shows is the id of the card on screen.
func (s *Screen) Shows() string { return s.id }

// fetched brings a card whole, and the guard table's verdicts on it.
type fetched struct {
	id      string
	version int
	issue   board.Issue
	why     []dispatch.Verdict
	err     error // of the card
	whyErr  error // of the verdicts
}

// rendered brings a body laid out.
type rendered struct {
	id, text string
	width    int
	lines    []string
}

// Update takes a message.
func (s *Screen) Update(e *screen.Env, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Show:
		s.show(msg.ID)
		s.front = true
		return s.refresh(e)
	case screen.Hide:
		s.front = false
	case screen.Refreshed, screen.Resized:
		return s.refresh(e)
	case fetched:
		s.take(msg)
		return s.refresh(e)
	case rendered:
		s.rendering = false
		if msg.id == s.id {
			s.body, s.bodyOf, s.bodyWidth = msg.lines, msg.text, msg.width
		}
		return s.refresh(e)
	case tea.KeyMsg:
		return s.press(e, msg)
	}
	return nil
}

func (s *Screen) show(id string) {
	if id == "" || id == s.id {
		return
	}
	*s = Screen{keys: s.keys, id: id, rendering: s.rendering}
}

func (s *Screen) take(m fetched) {
	if m.id != s.id {
		return
	}
	s.asking, s.err = false, m.err
	if m.err == nil {
		s.issue, s.why, s.whyErr, s.askedV = &m.issue, m.why, m.whyErr, m.version
	}
}

// refresh asks for what is out of date and lays the panes out again.
func (s *Screen) refresh(e *screen.Env) tea.Cmd {
	if s.id == "" || !s.front {
		return nil
	}
	s.layout(e)
	return tea.Batch(s.fetch(e), s.render(e))
}

// fetchEvery is the least time between two looks at one card.
const fetchEvery = time.Second

func (s *Screen) fetch(e *screen.Env) tea.Cmd {
	if s.asking || e.Source == nil || s.askedV == e.Mirror.Version || e.Now.Sub(s.asked) < fetchEvery {
		return nil
	}
	s.asking, s.asked = true, e.Now
	id, version, had := s.id, e.Mirror.Version, s.current(e)
	return e.Fetch(func(ctx context.Context, src screen.Source) tea.Msg {
		is := board.Issue{}
		if had != nil {
			is = *had
		} else if got, err := src.Issue(ctx, id); err != nil {
			return fetched{id: id, version: version, err: err}
		} else {
			is = got
		}
		why, err := src.Why(ctx, id)
		return fetched{id: id, version: version, issue: is, why: why, whyErr: err}
	})
}

// current is the card as it was fetched, while the board says that nothing of it has
// changed since: a long body is not fetched again for what happens elsewhere.
func (s *Screen) current(e *screen.Env) *board.Issue {
	c := e.Mirror.Card(s.id)
	if s.issue == nil || c == nil || !c.UpdatedAt.Equal(s.issue.UpdatedAt) || c.Claim != s.issue.Claim || c.Comments != len(s.issue.Comments) {
		return nil
	}
	return s.issue
}

func (s *Screen) render(e *screen.Env) tea.Cmd {
	if s.rendering || s.issue == nil || s.bodyOf == s.issue.Body && s.bodyWidth == s.mainWide {
		return nil
	}
	s.rendering = true
	id, text, width, theme := s.id, s.issue.Body, s.mainWide, e.Theme
	if head := headOf(text); s.bodyOf != head || s.bodyWidth != width {
		text = head // the first screen of a long body comes before the rest
	}
	return func() tea.Msg {
		return rendered{id: id, text: text, width: width, lines: markdown.Render(text, width, theme)}
	}
}

// headMax is how much of a body, in bytes, is laid out at first: more than fills any
// window.
const headMax = 64 << 10

// headOf is the beginning of a long text, up to the end of a line; a short one whole.
func headOf(text string) string {
	if len(text) <= headMax {
		return text
	}
	head := kit.Head(text, headMax)
	if i := strings.LastIndexByte(head, '\n'); i > headMax/2 {
		head = head[:i+1]
	}
	return head
}

func (s *Screen) press(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	pg := &s.mainPg
	if s.sideFocused {
		pg = &s.sidePg
	}
	switch {
	case key.Matches(k, s.keys.leave):
		e.Place = &screen.Place{Back: true}
	case key.Matches(k, s.keys.left):
		s.sideFocused = false
	case key.Matches(k, s.keys.right):
		s.sideFocused = len(s.side) > 0
	case pg.Update(k, false):
	default:
		if c := e.Mirror.Card(s.id); c != nil {
			return s.act(e, k, c)
		}
	}
	return nil
}

func (s *Screen) act(e *screen.Env, k tea.KeyMsg, c *mirror.Card) tea.Cmd {
	switch {
	case key.Matches(k, s.keys.log):
		if id, _ := e.Mirror.CardRun(c); id != "" {
			e.Go(screen.Runs, id)
		} else {
			e.Say(kit.MarkQuiet, "this card has had no run yet")
		}
	case key.Matches(k, s.keys.move):
		e.AskMove([]*mirror.Card{c}, func() {})
	case key.Matches(k, s.keys.edit):
		return e.AskEdit(c)
	case key.Matches(k, s.keys.assign):
		e.AskAssign([]*mirror.Card{c})
	case key.Matches(k, s.keys.labels):
		e.AskLabels([]*mirror.Card{c})
	case key.Matches(k, s.keys.copyID):
		e.CopyID(c.ID)
	case key.Matches(k, s.keys.comment):
		e.AskComment(c)
	case key.Matches(k, s.keys.cancel):
		id, r := e.Mirror.CardRun(c)
		e.AskCancelRun(id, r, kit.Line(c.Title))
	case key.Matches(k, s.keys.clearRun):
		e.AskClearLastRun(c)
	case key.Matches(k, s.keys.answer):
		_, r := e.Mirror.CardRun(c)
		return e.AskAnswer(r)
	}
	return nil
}

package board

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// slipTime is for how long verbs are refused after the cursor fell on another
// card by itself.
const slipTime = 600 * time.Millisecond

// Screen is the board. New makes one.
type Screen struct {
	keys keyMap

	col    string           // state of the focused column
	chosen bool             // the person has moved the cursor
	places map[string]*spot // by state
	left   string           // state of the leftmost column drawn, when not all fit
	follow string           // card that the person moved and whose arrival is awaited
	origin string           // the state it was moved from
	slip   time.Time        // when the cursor last fell on another card

	typing bool // the filter line is open
	input  textinput.Model
	lens   lens
	found  map[string][]*mirror.Card // by state, while the lens is not plain
	built  map[string]int            // by state: the change of the column that found is of
	came   place                     // where the cursor was when the filter line was opened
	marked map[string]bool           // cards that the next verb is for, by id
}

// spot is where a person is in one column.
type spot struct {
	id  string // card under the cursor
	at  int    // its index when last seen
	top int    // index of the first card drawn
}

// place is a card in a column.
type place struct{ col, id string }

// New makes the board.
func New() *Screen {
	in := textinput.New()
	in.Prompt = ""
	in.Cursor.SetMode(cursor.CursorStatic)
	return &Screen{keys: keys(), places: map[string]*spot{}, found: map[string][]*mirror.Card{}, built: map[string]int{}, marked: map[string]bool{}, input: in}
}

// created brings the id of a card that the person has made.
type created struct{ id string }

// Typing reports whether the filter line is open.
func (s *Screen) Typing() bool { return s.typing }

// Update takes a message.
func (s *Screen) Update(e *screen.Env, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Refreshed, screen.Resized:
		s.settle(e)
	case created:
		s.await(msg.id, "")
		s.settle(e)
	case screen.Done:
		if msg.Err != nil {
			s.await("", "")
		} else if msg.Undo != nil { // a verb was done with the marks
			clear(s.marked)
		}
	case screen.Click:
		s.click(e, msg)
	case tea.KeyMsg:
		if s.typing {
			return s.edit(e, msg)
		}
		return s.press(e, msg)
	}
	return nil
}

func (s *Screen) press(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	if s.walk(e, k) {
		return nil
	}
	switch {
	case key.Matches(k, s.keys.filter):
		s.typing, s.came = true, place{s.col, s.spot(s.col).id}
		s.input.Focus()
	case key.Matches(k, s.keys.clear):
		s.clear(e)
	case key.Matches(k, s.keys.mark):
		s.mark(e)
	case key.Matches(k, s.keys.markAll):
		s.markAll(e)
	case key.Matches(k, s.keys.view):
		s.askView(e)
	case key.Matches(k, s.keys.order):
		s.askOrder(e)
	case key.Matches(k, s.keys.group):
		s.askGroup(e)
	case key.Matches(k, s.keys.create):
		return e.AskCreate(s.newState(e), func(id string) tea.Msg { return created{id} })
	default:
		if c := s.Selected(e); c != nil {
			return s.act(e, k, c)
		}
	}
	return nil
}

// clear takes away what narrows the view or widens a verb, one thing at a time.
func (s *Screen) clear(e *screen.Env) {
	switch {
	case len(s.marked) > 0:
		clear(s.marked)
	case len(s.lens.words) > 0:
		s.filter(e, "")
	default:
		s.lens = lens{}
		s.relook(e)
	}
}

// act is a key that concerns the card under the cursor, or the marked ones.
func (s *Screen) act(e *screen.Env, k tea.KeyMsg, c *mirror.Card) tea.Cmd {
	switch {
	case key.Matches(k, s.keys.open):
		e.Go(screen.Card, c.ID)
		return nil
	case key.Matches(k, s.keys.log):
		s.openLog(e, c)
		return nil
	case key.Matches(k, s.keys.copyID):
		e.CopyID(c.ID)
		return nil
	}
	if len(s.marked) == 0 && e.Now.Sub(s.slip) < slipTime {
		e.Say(kit.MarkAsk, "the card under the cursor has just changed; press again")
		return nil
	}
	if cmd, ok := s.actOnAll(e, k); ok {
		return cmd
	}
	switch {
	case key.Matches(k, s.keys.edit):
		return e.AskEdit(c)
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

// actOnAll is a verb that several cards can take at once.
func (s *Screen) actOnAll(e *screen.Env, k tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	cards := s.meant(e)
	moved := func() {}
	if len(cards) == 1 && len(s.marked) == 0 {
		moved = func() { s.await(cards[0].ID, cards[0].State) }
	}
	switch {
	case key.Matches(k, s.keys.move):
		e.AskMove(cards, moved)
	case key.Matches(k, s.keys.back):
		return s.shift(e, cards, -1, moved), true
	case key.Matches(k, s.keys.forth):
		return s.shift(e, cards, +1, moved), true
	case key.Matches(k, s.keys.assign):
		e.AskAssign(cards)
	case key.Matches(k, s.keys.labels):
		e.AskLabels(cards)
	default:
		return nil, false
	}
	return nil, true
}

func (s *Screen) openLog(e *screen.Env, c *mirror.Card) {
	if id, _ := e.Mirror.CardRun(c); id != "" {
		e.Go(screen.Runs, id)
		return
	}
	e.Say(kit.MarkQuiet, "this card has had no run yet")
}

// shift moves cards, all of one column, to its neighbour.
func (s *Screen) shift(e *screen.Env, cards []*mirror.Card, by int, moved func()) tea.Cmd {
	if slices.ContainsFunc(cards, func(c *mirror.Card) bool { return c.State != cards[0].State }) {
		e.Say(kit.MarkAsk, "the marked cards are in several columns; m moves them to one")
		return nil
	}
	cols := e.Mirror.Columns
	for i, col := range cols {
		if len(cards) > 0 && col.Name == cards[0].State && i+by >= 0 && i+by < len(cols) && !cols[i+by].Stray {
			return e.MoveTo(cards, cols[i+by].Name, moved)
		}
	}
	return nil
}

// newState is where a new card goes unless the person chooses: the focused
// column, but never straight to an end.
func (s *Screen) newState(e *screen.Env) string {
	if c := e.Mirror.Column(s.col); c != nil && !c.Terminal && !c.Stray {
		return s.col
	}
	return ""
}

// edit is a key while the filter line is open.
func (s *Screen) edit(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		s.typing = false
		return nil
	case "esc", "ctrl+c":
		s.typing = false
		s.filter(e, "")
		s.putBack(e)
		return nil
	case "up", "down", "pgup", "pgdown":
		s.walk(e, k)
		return nil
	}
	var cmd tea.Cmd
	s.input, cmd = s.input.Update(k)
	s.filter(e, s.input.Value())
	return cmd
}

// filter shows only the cards that hold every word of text. The cursor goes to a
// column that has some.
func (s *Screen) filter(e *screen.Env, text string) {
	if text == "" {
		s.input.SetValue("")
	}
	s.lens.words = strings.Fields(strings.ToLower(text))
	s.relook(e)
	if col := e.Mirror.Column(s.col); col == nil || len(s.cards(col)) > 0 {
		return
	}
	if s.turn(e, +1); len(s.cards(e.Mirror.Column(s.col))) == 0 {
		s.turn(e, -1)
	}
}

// putBack returns to where the filter line was opened: who gives it up has not found
// anything.
func (s *Screen) putBack(e *screen.Env) {
	if c := e.Mirror.Card(s.came.id); c != nil && c.State == s.came.col {
		s.col, s.spot(s.came.col).id = s.came.col, c.ID
		s.settle(e)
	}
}

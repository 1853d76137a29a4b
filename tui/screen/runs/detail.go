package runs

import (
	"context"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/native/run"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// pollEvery is how often a live log is asked for more.
const pollEvery = 250 * time.Millisecond

// detail is one run with its log.
type detail struct {
	id      string
	gen     int
	direct  bool // opened from another screen, which esc returns to
	record  *run.Record
	log     logText
	pg      kit.Pager
	shift   int    // cells that the log is scrolled to the right
	want    string // what is searched for
	hit     int    // row of the last match, -1 for none
	asking  bool   // a request for more is under way
	waiting bool   // a poll timer is under way
	older   bool   // a request for an earlier piece is under way
	hunt    *hunt  // a search beyond the part that is held
	goal    int64  // offset that a jump was for, -1 once it is on screen
	match   bool   // the jump was for a match of the search
	sub     int    // line of the top row that is the first in sight, where rows are wrapped
	wrap    bool   // long rows go on in the next line
	err     error
}

// piece brings a part of a log.
type piece struct {
	gen   int
	first bool // only the size was asked
	older bool
	chunk control.LogChunk
	err   error
}

// poll is the time to ask for more.
type poll struct{ gen int }

// recordKnown brings the record of a run that the mirror does not hold.
type recordKnown struct {
	gen    int
	record run.Record
	err    error
}

// open shows a run.
func (s *Screen) open(e *screen.Env, id string, direct bool) tea.Cmd {
	if s.detail != nil && s.detail.id == id {
		s.detail.direct = direct
		return s.resume(e)
	}
	s.typing = false
	s.detail = &detail{id: id, gen: s.nextGen(), direct: direct, hit: -1, goal: -1, wrap: s.wrap}
	s.detail.pg.Follow = true
	s.fit(e)
	return tea.Batch(s.resume(e), s.fetchRecord(e))
}

// nextGen makes what is still on its way for an older picture of a log strange.
func (s *Screen) nextGen() int {
	s.gen++
	return s.gen
}

func (s *Screen) fetchRecord(e *screen.Env) tea.Cmd {
	if e.Mirror.Run(s.detail.id) != nil {
		return nil
	}
	id, gen := s.detail.id, s.detail.gen
	return e.Fetch(func(ctx context.Context, src screen.Source) tea.Msg {
		r, err := src.Run(ctx, id)
		return recordKnown{gen, r, err}
	})
}

// resume goes on reading the log where nobody does.
func (s *Screen) resume(e *screen.Env) tea.Cmd {
	d := s.detail
	if d == nil || !s.front || d.asking || d.waiting || d.log.end || d.log.lazy && !d.nearEnd() {
		return nil
	}
	return s.more(e)
}

// nearEnd reports whether the person has come near the end of what is held.
func (d *detail) nearEnd() bool { return d.pg.Top+3*d.pg.Height >= len(d.log.rows) }

func (s *Screen) more(e *screen.Env) tea.Cmd {
	d := s.detail
	id, gen, first, from := d.id, d.gen, !d.log.asked, d.log.next
	limit := int64(chunk)
	if first {
		limit = 1
	}
	cmd := e.Fetch(func(ctx context.Context, src screen.Source) tea.Msg {
		c, err := src.Log(ctx, id, from, limit)
		return piece{gen: gen, first: first, chunk: c, err: err}
	})
	d.asking = cmd != nil
	return cmd
}

// earlier asks for the piece before the one held, once the top is reached. When much
// is held already, it is let go of, and the log is read from here on.
func (s *Screen) earlier(e *screen.Env) tea.Cmd {
	d := s.detail
	if d.pg.Top > 0 || d.older || d.log.from == 0 || d.goal >= 0 {
		return nil
	}
	if d.log.next-d.log.from > logMax/2 {
		cmd := s.jump(e, d.log.from, d.log.size)
		d.match = false
		return cmd
	}
	id, gen := d.id, d.gen
	from := max(0, d.log.from-chunk)
	n := d.log.from - from
	cmd := e.Fetch(func(ctx context.Context, src screen.Source) tea.Msg {
		c, err := src.Log(ctx, id, from, n)
		return piece{gen: gen, older: true, chunk: c, err: err}
	})
	d.older = cmd != nil
	return cmd
}

// logs takes what comes back for the log on screen.
func (s *Screen) logs(e *screen.Env, msg tea.Msg) tea.Cmd {
	d := s.detail
	switch msg := msg.(type) {
	case piece:
		if d != nil && msg.gen == d.gen {
			return s.take(e, msg)
		}
	case hunted:
		if d != nil && msg.gen == d.gen {
			return s.takeHunted(e, msg)
		}
	case poll:
		if d != nil && msg.gen == d.gen {
			d.waiting = false
			return s.resume(e)
		}
	case recordKnown:
		if d != nil && msg.gen == d.gen && msg.err == nil {
			d.record = &msg.record
		}
	}
	return nil
}

func (s *Screen) take(e *screen.Env, m piece) tea.Cmd {
	d := s.detail
	if d.err = m.err; m.err != nil {
		d.asking, d.older = false, false
		return s.wait()
	}
	if m.older {
		d.older = false
		d.moved(d.log.prepend(m.chunk))
		s.fit(e)
		return nil
	}
	d.asking = false
	if m.first {
		d.log.start(m.chunk.Size)
		d.log.end = m.chunk.Size == 0 && m.chunk.End
		return s.resume(e)
	}
	d.moved(-d.log.add(m.chunk))
	if d.log.next >= d.log.size {
		d.log.lazy = false // what comes now is new
	}
	s.fit(e)
	d.arrive(e)
	if d.log.next < d.log.size {
		return s.resume(e)
	}
	return s.wait()
}

// wait asks again a little later while the log may grow.
func (s *Screen) wait() tea.Cmd {
	d := s.detail
	if d.log.end || d.waiting || !s.front {
		return nil
	}
	d.waiting = true
	gen := d.gen
	return tea.Tick(pollEvery, func(time.Time) tea.Msg { return poll{gen} })
}

// moved keeps the place and the match when rows came or went at the beginning.
func (d *detail) moved(by int) {
	d.pg.Top = max(0, d.pg.Top+by)
	if d.hit >= 0 {
		d.hit = max(-1, d.hit+by)
	}
}

func (s *Screen) fit(e *screen.Env) {
	if s.detail != nil {
		s.detail.resize(e)
	}
}

func (s *Screen) detailKey(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	d := s.detail
	switch {
	case key.Matches(k, s.keys.leave) && d.hunt != nil:
		d.hunt = nil
	case key.Matches(k, s.keys.leave):
		s.close(e)
	case d.log.lazy && (key.Matches(k, s.keys.follow) || k.String() == "G" || k.String() == "end"):
		return s.toEnd(e)
	case key.Matches(k, s.keys.follow):
		d.pg.Follow = !d.pg.Follow
		s.fit(e)
	case key.Matches(k, s.keys.wrap):
		d.wrap = !d.wrap
		s.wrap, d.shift, d.sub = d.wrap, 0, 0
		s.fit(e)
	case key.Matches(k, s.keys.search):
		s.typing = true
		s.input.SetValue("")
		s.input.Focus()
	case key.Matches(k, s.keys.next):
		return d.look(e, d.want, -1)
	case key.Matches(k, s.keys.prev):
		return d.look(e, d.want, +1)
	case key.Matches(k, s.keys.left):
		d.sideways(e, -sideStep)
	case key.Matches(k, s.keys.right):
		d.sideways(e, sideStep)
	case d.log.from > 0 && (k.String() == "g" || k.String() == "home"):
		return s.toTop(e)
	case d.scroll(e, k):
		s.fit(e)
		return tea.Batch(s.earlier(e), s.resume(e))
	default:
		if r := s.record(e); r != nil {
			return s.act(e, k, r)
		}
	}
	return nil
}

// sideStep is how many cells the log is scrolled sideways at once.
const sideStep = 20

// toEnd comes back to the live end of a log that was left for a match far from it.
func (s *Screen) toEnd(e *screen.Env) tea.Cmd {
	d := s.detail
	d.gen = s.nextGen()
	d.log, d.hit, d.goal, d.asking, d.older = logText{}, -1, -1, false, false
	d.pg.Follow = true
	return s.resume(e)
}

func (s *Screen) close(e *screen.Env) {
	direct := s.detail.direct
	s.id, s.detail = s.detail.id, nil
	s.input.SetValue("")
	s.words = nil
	s.settle(e)
	if direct {
		e.Place = &screen.Place{Back: true}
	}
}

// record is the run on screen, as the mirror knows it or as it was fetched.
func (s *Screen) record(e *screen.Env) *run.Record {
	if r := e.Mirror.Run(s.detail.id); r != nil {
		return r
	}
	return s.detail.record
}

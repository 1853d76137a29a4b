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
	s.gen++
	s.typing = false
	s.detail = &detail{id: id, gen: s.gen, direct: direct, hit: -1}
	s.detail.pg.Follow = true
	s.fit(e)
	return tea.Batch(s.resume(e), s.fetchRecord(e))
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
	if d == nil || !s.front || d.asking || d.waiting || d.log.end {
		return nil
	}
	return s.more(e)
}

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

// earlier asks for the piece before the one held, once the top is reached.
func (s *Screen) earlier(e *screen.Env) tea.Cmd {
	d := s.detail
	if d.pg.Top > 0 || d.older || d.log.from == 0 || d.log.next-d.log.from > logMax/2 {
		return nil
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
		d.pg.Top += d.log.prepend(m.chunk)
		s.fit(e)
		return nil
	}
	d.asking = false
	if m.first {
		d.log.start(m.chunk.Size)
		d.log.end = m.chunk.Size == 0 && m.chunk.End
		return s.resume(e)
	}
	before := len(d.log.rows)
	d.log.add(m.chunk)
	if cut := before - len(d.log.rows); cut > 0 && !d.pg.Follow {
		d.pg.Top = max(0, d.pg.Top-cut)
	}
	s.fit(e)
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

func (s *Screen) fit(e *screen.Env) {
	if s.detail != nil {
		s.detail.pg.Resize(e.Height-detailHead, len(s.detail.log.rows))
	}
}

func (s *Screen) detailKey(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	d := s.detail
	switch {
	case key.Matches(k, s.keys.leave):
		s.close(e)
	case key.Matches(k, s.keys.follow):
		d.pg.Follow = !d.pg.Follow
		s.fit(e)
	case key.Matches(k, s.keys.search):
		s.typing = true
		s.input.SetValue("")
		s.input.Focus()
	case key.Matches(k, s.keys.next):
		d.look(e, d.want, -1)
	case key.Matches(k, s.keys.prev):
		d.look(e, d.want, +1)
	case key.Matches(k, s.keys.left):
		d.shift = max(0, d.shift-20)
	case key.Matches(k, s.keys.right):
		d.shift = min(lineMax, d.shift+20)
	case d.pg.Update(k, true):
		return s.earlier(e)
	default:
		if r := s.record(e); r != nil {
			s.act(e, k, r)
		}
	}
	return nil
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

// look goes to the next row that holds text, older ones first.
func (d *detail) look(e *screen.Env, text string, by int) {
	if text == "" {
		return
	}
	from := d.hit + by
	if d.want != text || d.hit < 0 {
		d.want, from = text, len(d.log.rows)-1
	}
	hit := d.log.find(text, from, by)
	if hit < 0 {
		e.Say(kit.MarkQuiet, "no further match in the part of the log that is held")
		return
	}
	d.hit, d.pg.Follow = hit, false
	d.pg.Top = max(0, hit-d.pg.Height/2)
	d.pg.Resize(d.pg.Height, len(d.log.rows))
}

// record is the run on screen, as the mirror knows it or as it was fetched.
func (s *Screen) record(e *screen.Env) *run.Record {
	if r := e.Mirror.Run(s.detail.id); r != nil {
		return r
	}
	return s.detail.record
}

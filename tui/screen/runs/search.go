package runs

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// hunt is a search in the part of a log that is not held: piece by piece from the
// part that is held towards one end of the file.
type hunt struct {
	text string // in lower case
	by   int    // -1 towards the beginning, +1 towards the end
	at   int64  // where the next piece begins (+1) or ends (-1)
}

// hunted brings what a piece of the search found.
type hunted struct {
	gen  int
	hunt hunt
	hit  int64 // offset of the match; -1: none here
	size int64
	err  error
}

// look goes to the next row that holds text: from the last match on in a direction, for
// a new text from what is in sight. Where none is held, it searches the file.
func (d *detail) look(e *screen.Env, text string, by int) tea.Cmd {
	if text == "" {
		if text = d.want; text == "" { // an empty search is the last one again
			return nil
		}
	}
	from, fresh := d.hit+by, d.want != text || d.hit < 0
	if fresh { // begin with what is in sight
		d.want, from = text, min(len(d.log.rows), d.pg.Top+d.pg.Height)-1
		if by > 0 {
			from = d.pg.Top
		}
	}
	hit := d.log.find(text, from, by)
	if hit < 0 && fresh { // what is near in the other direction is better than what is far
		hit = d.log.find(text, from, -by)
	}
	if hit >= 0 {
		d.show(e, hit)
		return nil
	}
	h := hunt{text: strings.ToLower(text), by: by, at: d.log.from}
	if by > 0 {
		h.at = d.log.next
	}
	return d.follow(e, h, d.log.size)
}

// follow searches the next piece, or ends the search at the end of the file.
func (d *detail) follow(e *screen.Env, h hunt, size int64) tea.Cmd {
	from, n := h.at, int64(control.LogMax)
	if h.by < 0 {
		from = max(0, h.at-n)
		n = h.at - from
	}
	if n <= 0 || h.by > 0 && from >= size {
		d.hunt = nil
		other := "; N looks the other way"
		if h.by > 0 {
			other = "; n looks the other way"
		}
		e.Say(kit.MarkQuiet, "no further match"+other)
		return nil
	}
	d.hunt = &h
	id, gen := d.id, d.gen
	cmd := e.Fetch(func(ctx context.Context, src screen.Source) tea.Msg {
		c, err := src.Log(ctx, id, from, n)
		if err != nil {
			return hunted{gen: gen, hunt: h, err: err}
		}
		return h.in(gen, c, from)
	})
	if cmd == nil {
		d.hunt = nil
	}
	return cmd
}

// in searches a piece. The next one overlaps it by as much as a match may span.
func (h hunt) in(gen int, c control.LogChunk, from int64) hunted {
	lower := bytes.ToLower(c.Data)
	out := hunted{gen: gen, hunt: h, hit: -1, size: c.Size}
	at := bytes.Index(lower, []byte(h.text))
	if h.by < 0 {
		at = bytes.LastIndex(lower, []byte(h.text))
	}
	if at >= 0 {
		out.hit = from + int64(at)
	}
	overlap := int64(len(h.text) - 1)
	switch {
	case h.by < 0 && from > 0:
		out.hunt.at = from + overlap
	case h.by < 0:
		out.hunt.at = 0
	case c.Next >= c.Size:
		out.hunt.at = c.Size
	default:
		out.hunt.at = c.Next - overlap
	}
	return out
}

// takeHunted goes on with a search, or to what it found.
func (s *Screen) takeHunted(e *screen.Env, m hunted) tea.Cmd {
	d := s.detail
	if d.hunt == nil || d.hunt.text != m.hunt.text || d.hunt.by != m.hunt.by {
		return nil // another search, or none, by now
	}
	switch {
	case m.err != nil:
		d.hunt = nil
		e.Say(kit.MarkBad, kit.Line(m.err.Error()))
		return nil
	case m.hit < 0:
		return d.follow(e, m.hunt, m.size)
	}
	d.hunt = nil
	return s.jump(e, m.hit, m.size)
}

// jump holds the part of the log around an offset; what follows is read as the
// person comes to it.
func (s *Screen) jump(e *screen.Env, offset, size int64) tea.Cmd {
	d := s.detail
	d.gen = s.nextGen()
	d.asking, d.waiting, d.older = false, false, false
	d.log = logText{asked: true, size: size, lazy: true}
	d.log.from = max(0, offset-chunk/2)
	d.log.next = d.log.from
	d.pg.Follow, d.hit, d.goal, d.match = false, -1, offset, true
	return s.more(e)
}

// toTop goes to the beginning of a log of which only a later part is held.
func (s *Screen) toTop(e *screen.Env) tea.Cmd {
	cmd := s.jump(e, 0, s.detail.log.size)
	s.detail.match = false
	return cmd
}

// arrive goes to the row that a jump was for: a match, or the first one in sight.
func (d *detail) arrive(e *screen.Env) {
	if d.goal < 0 {
		return
	}
	row := d.log.rowAt(d.goal)
	if row < 0 {
		return
	}
	d.goal = -1
	if !d.match {
		d.pg.Top, d.sub = row, 0
		d.resize(e)
	} else if hit := d.log.find(d.want, row, +1); hit >= 0 {
		d.show(e, hit)
	}
}

// searching says how far a search has come, empty when there is none.
func (d *detail) searching() string {
	if d.hunt == nil || d.log.size == 0 {
		return ""
	}
	done := d.hunt.at * 100 / d.log.size
	if d.hunt.by < 0 {
		done = 100 - done
	}
	return fmt.Sprintf("searching %q, %d%%, esc ends it", kit.Clip(kit.Line(d.hunt.text), 20), done)
}

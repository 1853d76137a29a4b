package control

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// pace is the shortest time between two frames to one watcher, so that a storm
// of changes becomes a few frames.
const pace = 15 * time.Millisecond

// tombstonesMax is how many deleted cards are remembered for late watchers.
const tombstonesMax = 1000

// Feed is the picture that the watch stream shows. Publish changes it, Watch
// follows it. What goes in and comes out is shared: nobody may change it.
type Feed struct {
	mu     sync.Mutex
	ver    int64 // of the newest change
	floor  int64 // a watcher that saw less needs a full frame
	seq    int64
	schema dated[*board.Schema]
	status dated[*Status]
	broken []Broken
	cards  map[string]dated[*Card] // in what was published: a board is kept once
	runs   map[string]dated[run.Record]
	gone   map[string]int64
	wake   chan struct{} // closed at the next change
}

// dated is a value and the version that it came with.
type dated[T any] struct {
	v   T
	ver int64
}

// Change is what Publish takes. Fields that are nil or empty leave as is.
type Change struct {
	Seq      int64 // the board log's tip that the change reflects; smaller than before: as is
	Schema   *board.Schema
	Cards    []Card
	Gone     []string
	Runs     []run.Record
	GoneRuns []string
	Broken   *[]Broken // the whole list
	Status   *Status
}

// NewFeed returns a feed without a picture. Watchers wait for the first Publish.
func NewFeed() *Feed {
	return &Feed{
		cards: map[string]dated[*Card]{},
		runs:  map[string]dated[run.Record]{},
		gone:  map[string]int64{},
		wake:  make(chan struct{}),
	}
}

// Publish makes a change visible to all watchers.
func (f *Feed) Publish(c Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ver++
	f.seq = max(f.seq, c.Seq)
	if c.Schema != nil {
		if f.schema.v == nil { // only now there is a board, and it comes whole
			f.floor = f.ver
		}
		f.schema = dated[*board.Schema]{c.Schema, f.ver}
	}
	if c.Status != nil {
		f.status = dated[*Status]{c.Status, f.ver}
	}
	f.publishCards(c)
	f.publishRuns(c)
	if c.Broken != nil {
		f.broken, f.floor = *c.Broken, f.ver // a delta cannot say that a record was mended
	}
	close(f.wake)
	f.wake = make(chan struct{})
}

func (f *Feed) publishCards(c Change) {
	for n := range c.Cards {
		card := &c.Cards[n]
		f.cards[card.ID] = dated[*Card]{card, f.ver}
		delete(f.gone, card.ID)
	}
	for _, id := range c.Gone {
		delete(f.cards, id)
		f.gone[id] = f.ver
	}
	if len(f.gone) > tombstonesMax {
		f.gone, f.floor = map[string]int64{}, f.ver
	}
}

func (f *Feed) publishRuns(c Change) {
	for _, r := range c.Runs {
		f.runs[r.ID] = dated[run.Record]{r, f.ver}
	}
	for _, id := range c.GoneRuns {
		delete(f.runs, id)
		f.floor = f.ver // frames have no word for it
	}
}

// Watch calls send with a full frame and then with what changed since the last
// one, until ctx ends or send fails. It never returns nil.
func (f *Feed) Watch(ctx context.Context, send func(Frame) error) error {
	var seen int64
	for {
		frame, ver, err := f.next(ctx, seen)
		if err != nil {
			return err
		}
		if err := send(frame); err != nil {
			return err
		}
		seen = ver
		if err := rest(ctx, pace); err != nil {
			return err
		}
	}
}

// next waits for a version after seen and returns the frame that leads there.
func (f *Feed) next(ctx context.Context, seen int64) (Frame, int64, error) {
	for {
		f.mu.Lock()
		if f.ver > seen {
			defer f.mu.Unlock()
			return f.since(seen), f.ver, nil
		}
		wake := f.wake
		f.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return Frame{}, 0, ctx.Err()
		}
	}
}

// since makes the frame for a watcher that saw version seen.
func (f *Feed) since(seen int64) Frame {
	frame := Frame{Seq: f.seq}
	if seen == 0 || seen < f.floor {
		seen, frame.Full, frame.Broken = 0, true, f.broken
	}
	if f.schema.ver > seen {
		frame.Schema = f.schema.v
	}
	if f.status.ver > seen {
		frame.Status = f.status.v
	}
	frame.Cards = f.cardsSince(seen)
	frame.Runs = newer(f.runs, seen)
	slices.SortFunc(frame.Runs, newestFirst)
	frame.Runs = frame.Runs[:min(len(frame.Runs), RunsMax)]
	if !frame.Full {
		frame.Gone = f.goneSince(seen)
	}
	return frame
}

// cardsSince returns the cards that changed after seen, by id. A whole board is a
// lot: it is copied once, into a slice of the right size.
func (f *Feed) cardsSince(seen int64) []Card {
	changed := newer(f.cards, seen)
	if len(changed) == 0 {
		return nil
	}
	slices.SortFunc(changed, func(a, b *Card) int { return cmp.Compare(a.ID, b.ID) })
	out := make([]Card, len(changed))
	for n, card := range changed {
		out[n] = *card
	}
	return out
}

func (f *Feed) goneSince(seen int64) (ids []string) {
	for id, ver := range f.gone {
		if ver > seen {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// newer returns the values that changed after seen.
func newer[T any](all map[string]dated[T], seen int64) (out []T) {
	for _, d := range all {
		if d.ver > seen {
			out = append(out, d.v)
		}
	}
	return out
}

func newestFirst(a, b run.Record) int {
	if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
		return c
	}
	return cmp.Compare(b.ID, a.ID)
}

func rest(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

package daemon

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/watch"
)

// sight is how changes by others reach the daemon: it watches the files, wakes
// the dispatcher and keeps the clients' picture fresh.
type sight struct {
	d     *Daemon
	view  *view
	board *watch.Watcher
	runs  *watch.Watcher
	spend *watch.Watcher
	poked chan struct{}
	spine *spine
}

func newSight(d *Daemon) *sight {
	l := d.o.Layout
	return &sight{
		d:     d,
		view:  newView(d.store, d.runs, d.feed, d.log),
		board: watch.New(watch.Options{Dirs: []string{l.Dispatcher(), l.Issues()}, Log: d.log}),
		runs:  watch.New(watch.Options{Dirs: []string{l.Runs()}, Log: d.log}),
		spend: watch.New(watch.Options{Dirs: []string{l.Spend()}, Log: d.log}),
		poked: make(chan struct{}, 1),
		spine: newSpine(d),
	}
}

// poke says that the daemon's own state changed outside of the dispatcher.
func (s *sight) poke() {
	select {
	case s.poked <- struct{}{}:
	default:
	}
}

// Run watches until ctx ends.
func (s *sight) Run(ctx context.Context) error {
	parts, ctx := errgroup.WithContext(ctx)
	parts.Go(func() error { return s.board.Run(ctx) })
	parts.Go(func() error { return s.runs.Run(ctx) })
	parts.Go(func() error { return s.spend.Run(ctx) })
	parts.Go(func() error { return s.spine.Run(ctx) })
	parts.Go(func() error { s.loop(ctx); return nil })
	return parts.Wait()
}

func (s *sight) loop(ctx context.Context) {
	dispatched, cancel := s.d.disp.Subscribe()
	defer cancel()
	live := time.NewTicker(livePace)
	defer live.Stop()
	s.status()
	for ctx.Err() == nil {
		var tick <-chan time.Time
		if len(s.view.live) > 0 {
			tick = live.C
		}
		select {
		case <-ctx.Done():
		case <-s.board.C():
			s.spine.look()
			s.follow(ctx)
		case <-s.runs.C():
			s.spine.look()
			s.complain(ctx, "read runs", s.view.readRuns())
		case <-s.spend.C():
			s.d.disp.SpendChanged()
		case <-tick:
			s.view.readLive()
		case <-dispatched:
			s.status()
		case <-s.poked:
			s.status()
		}
	}
}

// follow takes in what the board's log says. What was there at the first look is no
// news, but may have come after the dispatcher had looked.
func (s *sight) follow(ctx context.Context) {
	first := s.view.schema == nil
	err := s.view.follow(ctx, s.wake)
	if first && err == nil {
		s.d.disp.Refresh()
	}
	s.complain(ctx, "read board", err)
}

// wake tells the dispatcher of cards that somebody else changed. Its own writes
// are no news to it, except for what they unblocked.
func (s *sight) wake(events []board.Event) {
	for _, e := range events {
		if e.Payload.ByActor != dispatch.Actor || e.Type == board.EventIssueUnblocked {
			s.d.disp.Nudge(e.IssueID)
		}
	}
}

func (s *sight) status() {
	st := s.d.status()
	s.view.feed.Publish(control.Change{Status: &st})
}

func (s *sight) complain(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		s.d.log.Warn("the picture of the board is not fresh", "doing", what, "err", err)
	}
}

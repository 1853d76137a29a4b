package resident

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"iterion/sched/gate"
	"iterion/sched/trigger"
)

// ErrStopped is returned by the verbs of a scheduler whose Run has ended.
var ErrStopped = errors.New("the scheduler has stopped")

const (
	// readAgain is how often the subscriptions are read without anybody saying that
	// they changed.
	readAgain = 30 * time.Second
	// finishWithin is what decisions under way have when the scheduler ends.
	finishWithin = 3 * time.Second
)

// Scheduler is the handle on one scheduler. Its methods may be called from any
// goroutine.
type Scheduler struct {
	o      Options
	log    *slog.Logger
	inbox  chan message
	nudged chan struct{}
	reload chan struct{}
	done   chan struct{}
	health atomic.Pointer[Health]

	st      *state
	write   writing
	workers sync.WaitGroup
}

// New returns a scheduler that does nothing until Run.
func New(o Options) *Scheduler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Host == nil {
		o.Host = time.Local
	}
	s := &Scheduler{
		o: o, log: o.Log,
		inbox:  make(chan message, 64),
		nudged: make(chan struct{}, 1),
		reload: make(chan struct{}, 1),
		done:   make(chan struct{}),
		st:     newState(),
	}
	s.health.Store(&Health{})
	return s
}

// Nudge says that something may start now that could not before.
func (s *Scheduler) Nudge() { token(s.nudged) }

// Reload says that the subscriptions may have changed.
func (s *Scheduler) Reload() { token(s.reload) }

func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// now is the wall clock without the monotonic reading, which stands still while the
// machine sleeps.
func (s *Scheduler) now() time.Time { return s.o.Now().Round(0) }

// Run fires what is due until ctx ends. Decisions under way then have a moment to end;
// what is left is an intention in the calendar.
func (s *Scheduler) Run(ctx context.Context) error {
	flight, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	s.st.started = s.now()
	s.work(func() { s.readCalendar(ctx) })
	s.serve(ctx, flight)
	s.drain(cut)
	close(s.done)
	cut()
	s.await(finishWithin)
	return nil
}

// await waits for the workers, but not for ever: a call into the world that heeds no
// context is left behind.
func (s *Scheduler) await(atMost time.Duration) {
	ended := make(chan struct{})
	go func() {
		s.workers.Wait()
		close(ended)
	}()
	t := time.NewTimer(atMost)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
	}
}

// serve is the loop. Each turn takes in one message and then starts what is due.
func (s *Scheduler) serve(ctx, flight context.Context) {
	wake := time.NewTimer(0)
	defer wake.Stop()
	again := time.NewTicker(readAgain)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-s.inbox:
			m(s)
		case <-s.nudged:
			s.st.open = true
		case <-s.reload:
			s.readRows(flight)
		case <-again.C:
			s.readRows(flight)
			if s.st.writeErr != "" {
				s.save(nil)
			}
		case <-wake.C:
		}
		now := s.now()
		for _, r := range s.st.tick(now) {
			s.start(flight, r)
		}
		s.publish()
		wake.Reset(s.st.wakeAt(now).Sub(now))
	}
}

// drain starts nothing more and lets what is under way end.
func (s *Scheduler) drain(cut func()) {
	over := time.NewTimer(finishWithin)
	defer over.Stop()
	patience := 1
	for s.st.busy() || s.write.busy {
		select {
		case m := <-s.inbox:
			m(s)
		case <-over.C:
			if patience--; patience < 0 {
				return
			}
			cut() // what heeds it ends as an intention
			over.Reset(finishWithin)
		}
	}
}

// work runs a worker, which ends before Run returns.
func (s *Scheduler) work(f func()) {
	s.workers.Add(1)
	go func() {
		defer s.workers.Done()
		f()
	}()
}

// message is what the scheduler's goroutine takes in: it is run there.
type message func(*Scheduler)

// tell is a worker's message: it gives up only when nobody listens any more.
func (s *Scheduler) tell(m message) {
	select {
	case s.inbox <- m:
	case <-s.done:
	}
}

// ask runs a question on the scheduler's goroutine and waits for its end.
func (s *Scheduler) ask(ctx context.Context, m message) error {
	answered := make(chan struct{})
	select {
	case s.inbox <- func(s *Scheduler) { m(s); close(answered) }:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return ErrStopped
	}
	select {
	case <-answered:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return ErrStopped
	}
}

// readCalendar reads what earlier schedulers left, until that works, and then the
// subscriptions for the first time.
func (s *Scheduler) readCalendar(ctx context.Context) {
	for {
		c, err := Read(s.o.Path)
		if err == nil {
			s.tell(func(s *Scheduler) {
				s.st.calendar, s.st.loaded, s.st.calendarErr = c, true, ""
				s.readRows(ctx)
			})
			return
		}
		s.tell(func(s *Scheduler) { s.st.calendarErr = err.Error() })
		s.log.Error("the schedules do not fire", "err", err)
		t := time.NewTimer(heldRetry)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// readRows reads the subscriptions, one reading at a time.
func (s *Scheduler) readRows(ctx context.Context) {
	if s.st.reading || !s.st.loaded {
		s.st.readAgain = s.st.loaded
		return
	}
	s.st.reading = true
	s.work(func() {
		rows, err := s.o.Rows(ctx)
		in := understand(rows, s.o.Host)
		s.tell(func(s *Scheduler) { s.rowsRead(ctx, in, err) })
	})
}

func (s *Scheduler) rowsRead(ctx context.Context, rows reading, err error) {
	s.st.reading = false
	if s.st.readAgain {
		s.st.readAgain = false
		s.readRows(ctx)
	}
	if err != nil {
		if s.st.rowsErr != err.Error() {
			s.log.Error("the subscriptions of the clocks cannot be read, the last good ones stay in force", "err", err)
		}
		s.st.rowsErr = err.Error()
		return
	}
	if s.st.learnRows(rows, s.now()) {
		s.save(nil)
	}
}

// start hands a row that is due to a worker of its own.
func (s *Scheduler) start(ctx context.Context, r *row) {
	j := job{s: s, id: r.sub.ID, sub: r.sub, clock: r.clock, gone: r.gone, entry: s.st.calendar[r.sub.ID],
		started: s.st.started, fresh: r.fresh, waiting: r.waiting, decided: r.decided}
	s.work(func() {
		out := j.run(ctx)
		s.tell(func(s *Scheduler) { s.finish(j.id, out) })
	})
}

// commit makes a row's intention durable.
func (s *Scheduler) commit(id string, in *Intent, through time.Time) error {
	reply := make(chan error, 1)
	s.tell(func(s *Scheduler) {
		s.st.note(id, in, through)
		s.save(reply)
	})
	select {
	case err := <-reply:
		return err
	case <-s.done:
		return ErrStopped
	}
}

// finish takes in what came of a row.
func (s *Scheduler) finish(id string, out outcome) {
	now := s.now()
	if out.err != nil && !errors.Is(out.err, context.Canceled) && !errors.Is(out.err, ErrStopped) {
		s.log.Warn("schedule not decided", "schedule_id", id, "err", out.err)
	}
	s.st.finish(id, out, now)
	if out.changed {
		s.save(nil)
	}
}

// Decided is told of a run by hand.
func (s *Scheduler) ranByHand(id string, rec gate.Record) {
	s.tell(func(s *Scheduler) {
		s.st.learnRecord(id, rec)
		s.save(nil)
	})
}

// asked tells that a row that was held got its slot, or did not.
func (s *Scheduler) asked(refused bool) {
	s.tell(func(s *Scheduler) { s.st.asked(refused, s.now()) })
}

// rowOf returns the subscription of an id.
func (s *Scheduler) rowOf(ctx context.Context, id string) (sub trigger.Subscription, ok bool, err error) {
	var unknown string
	err = s.ask(ctx, func(s *Scheduler) {
		if r := s.st.rows[id]; r != nil && r.listed {
			sub, ok = r.sub, true
			return
		}
		if unknown = s.st.calendarErr; unknown == "" {
			unknown = s.st.rowsErr
		}
	})
	if err == nil && !ok && unknown != "" {
		err = fmt.Errorf("schedule %s: %w: %s", id, ErrBroken, unknown)
	}
	return sub, ok, err
}

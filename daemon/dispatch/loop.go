package dispatch

import (
	"context"
	"time"
)

// lives are the contexts of an actor: take for taking new work and for waits
// that may be cut at any time, flight for writes under way.
type lives struct{ take, flight context.Context }

// Run is the actor. It blocks until ctx ends, gives what is in flight a moment,
// and returns nil. Runs that are live stay live. A call into the world that
// hangs and does not heed its context is left behind.
func (d *Dispatcher) Run(ctx context.Context) error {
	flight, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	l := lives{take: ctx, flight: flight}
	d.perform(l, []effect{boot{owner: d.opts.Owner}})
	d.publish(wallClock())
	d.serve(l)
	d.drainOut(l)
	cut()
	close(d.done)
	d.await(100 * time.Millisecond)
	return nil
}

// serve is the loop: one message, one step, one snapshot.
func (d *Dispatcher) serve(l lives) {
	wake := time.NewTimer(time.Hour)
	defer wake.Stop()
	for {
		now := wallClock()
		wake.Reset(d.st.wakeAt(now).Sub(now))
		select {
		case <-l.take.Done():
			return
		case m := <-d.inbox:
			d.turn(l, m)
		case <-d.kicked:
			d.turn(l, d.hints.take())
		case <-wake.C:
			d.turn(l, woke{})
		}
	}
}

// wallClock is now without the monotonic reading, which stands still while the
// machine sleeps.
func wallClock() time.Time { return time.Now().Round(0) }

// drainOut starts nothing more and lets starts and settlements under way end.
func (d *Dispatcher) drainOut(l lives) {
	d.turn(l, drain{})
	over := time.NewTimer(d.opts.Config.ShutdownGrace)
	defer over.Stop()
	for d.st.inFlight() {
		select {
		case m := <-d.inbox:
			d.turn(l, m)
		case <-over.C:
			return
		}
	}
}

// inFlight reports whether a worker is between two writes of a card.
func (s *state) inFlight() bool {
	for _, c := range s.cards {
		if c.starting() || c.phase == PhaseSettling && c.planAt.IsZero() {
			return true
		}
	}
	return false
}

// turn takes one message through the step.
func (d *Dispatcher) turn(l lives, m message) {
	now, began := wallClock(), time.Now()
	fx := d.st.step(m, now)
	if _, tick := m.(discovered); tick {
		d.st.ticks++
		d.st.thinking += time.Since(began)
	}
	d.perform(l, fx)
	d.publish(now)
}

// perform starts effects. It waits for nothing: replies go to buffered channels,
// everything else is a goroutine of its own.
func (d *Dispatcher) perform(l lives, fx []effect) {
	for _, e := range fx {
		switch e := e.(type) {
		case replyError:
			e.to <- e.err
		case replyWorld:
			e.to <- e.w
		case logWarning:
			d.log.Warn(e.what)
		case logInfo:
			d.log.Info(e.what, e.args...)
		case startCard:
			d.startCard(l, e.job)
		case abortStart:
			d.end(d.starts, e.issueID)
		case startBeat:
			d.startBeat(l, e)
		case endBeat:
			d.end(d.beats, e.issueID)
			d.end(d.starts, e.issueID)
		case awaitRun, awaitDirect:
			d.work(l.take, e.(worker))
		case worker:
			d.work(l.flight, e)
		}
	}
}

func (d *Dispatcher) work(ctx context.Context, w worker) {
	d.workers.Add(1)
	go func() {
		defer d.workers.Done()
		w.do(ctx, d)
	}()
}

func (d *Dispatcher) startCard(l lives, j starter) {
	take, cancel := context.WithCancel(l.take)
	d.end(d.starts, j.id())
	d.starts[j.id()] = cancel
	d.work(l.flight, j.within(take, l.take))
}

// startBeat renews a claim until endBeat. It lives as long as writes may be in
// flight, so that the last of them is still covered.
func (d *Dispatcher) startBeat(l lives, e startBeat) {
	ctx, cancel := context.WithCancel(l.flight)
	d.end(d.beats, e.issueID)
	d.beats[e.issueID] = cancel
	d.work(ctx, beat{issueID: e.issueID, fence: e.fence, lease: d.opts.Config.Lease})
}

func (d *Dispatcher) end(of map[string]context.CancelFunc, issueID string) {
	if cancel, ok := of[issueID]; ok {
		cancel()
		delete(of, issueID)
	}
}

// await waits for the workers, but not for ever.
func (d *Dispatcher) await(atMost time.Duration) {
	ended := make(chan struct{})
	go func() {
		d.workers.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(atMost):
	}
}

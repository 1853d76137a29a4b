package dispatch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing/synctest"
	"time"

	"iterion/native/board"
)

// simLife is one dispatcher of a simulation. Its step and its workers are the
// program's own. Its loop is not: the simulation takes its messages in, one at a
// time, and lets the calls of its workers through, one at a time, in an order that
// the case decides. So the same case goes the same way, always.
type simLife struct {
	s     *sim
	n     int
	d     *Dispatcher
	at    lives
	take  context.CancelFunc
	cut   context.CancelFunc
	dead  bool
	stuck bool      // suspended: it does nothing, and hears of nothing
	ends  time.Time // draining until then; zero: taking work
	wakes time.Time
}

// simCall is a call of a worker into the world that waits to be let through.
type simCall struct {
	life  *simLife
	seq   int
	key   string
	ctx   context.Context
	write bool
	ready func() bool // nil: at once
	do    func() error
	lost  error // what a call answers whose answer was lost
	err   error
	dead  bool
	done  chan struct{}
}

func (s *sim) start() {
	l := &simLife{s: s, n: len(s.lives) + 1}
	owner := fmt.Sprintf("owner-%d", l.n)
	take, stop := context.WithCancel(context.Background())
	flight, cut := context.WithCancel(context.Background())
	l.take, l.cut, l.at = stop, cut, lives{take: take, flight: flight}
	l.d = New(Options{
		Board: simBoard{s.board, l}, Runs: simRunsPort{l}, Bots: s.bots, Workspaces: simSpaces{l},
		Journal: simJournal{l}, Ledger: simLedger{l}, Intent: s.intent, Spend: s.spend,
		Config: s.cfg, Owner: owner, NewID: s.newRunID,
	})
	s.lives = append(s.lives, l)
	l.perform([]effect{boot{owner: owner}})
	l.wakes = time.Now().Add(30 * time.Second)
}

// perform starts effects in order, each once the one before waits for something.
func (l *simLife) perform(fx []effect) {
	for _, e := range fx {
		l.d.perform(l.at, []effect{e})
		switch e.(type) {
		case worker, startCard, startBeat, endBeat, abortStart:
			synctest.Wait()
		}
	}
}

// turn is what the dispatcher's own loop does with a message.
func (l *simLife) turn(m message) {
	now := wallClock().Add(l.s.offset)
	if l.s.mut.message != nil {
		m = l.s.mut.message(m)
	}
	fx := l.d.st.step(m, now)
	if l.s.mut.state != nil {
		l.s.mut.state(l.d.st)
	}
	if l.s.mut.effect != nil {
		fx = l.s.mut.effect(fx)
	}
	l.s.checkStep(l, fx)
	l.perform(fx)
	l.d.publish(now)
	l.wakes = time.Now().Add(l.d.st.wakeAt(now).Sub(now))
}

// messages reports whether something waits to be taken in.
func (l *simLife) messages() bool {
	return !l.dead && !l.stuck && (len(l.d.inbox) > 0 || len(l.d.kicked) > 0)
}

func (l *simLife) receive() {
	select {
	case m := <-l.d.inbox:
		l.turn(m)
	default:
		<-l.d.kicked
		l.turn(l.d.hints.take())
	}
	if !l.ends.IsZero() && !l.d.st.inFlight() {
		l.kill()
	}
}

// stop begins an orderly end.
func (l *simLife) stop() {
	if l.dead || !l.ends.IsZero() {
		return
	}
	l.ends = time.Now().Add(l.d.opts.Config.ShutdownGrace)
	l.take()
	synctest.Wait()
	l.turn(drain{})
	if !l.d.st.inFlight() {
		l.kill()
	}
}

// kill ends the process: of the writes that are under way some happen, and none of
// them is heard of again.
func (l *simLife) kill() {
	if l.dead {
		return
	}
	l.dead = true
	for _, c := range l.s.calls() {
		if c.life != l {
			continue
		}
		if c.write && l.s.rng.IntN(2) == 0 {
			l.s.note("dying %d: %s happens", l.n, c.key)
			_ = c.do()
		}
		c.dead = true
		l.s.take(c)
	}
	synctest.Wait()
	l.take()
	l.cut()
	close(l.d.done)
	synctest.Wait()
	l.s.journal.bury(l.d.opts.Owner)
}

// call waits until the simulation lets the call through.
func (l *simLife) call(c *simCall) error {
	s := l.s
	s.mu.Lock()
	if l.dead {
		s.mu.Unlock()
		runtime.Goexit()
	}
	s.seq++
	c.life, c.seq, c.done = l, s.seq, make(chan struct{})
	s.pending = append(s.pending, c)
	s.mu.Unlock()
	<-c.done
	if c.dead {
		runtime.Goexit()
	}
	return c.err
}

func asked[T any](l *simLife, ctx context.Context, key string, write bool, do func() (T, error)) (T, error) {
	var out, zero T
	c := &simCall{ctx: ctx, key: key, write: write, lost: errNoAnswer, do: func() (err error) {
		out, err = do()
		return err
	}}
	if err := l.call(c); err != nil {
		return zero, err
	}
	return out, nil
}

func told(l *simLife, ctx context.Context, key string, do func() error) error {
	_, err := asked(l, ctx, key, true, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// errNoAnswer is what a caller gets that cannot know whether its write happened.
var errNoAnswer = fmt.Errorf("no answer came: %w", board.ErrAmbiguous)

// serve lets one thing happen that is ready to: a message is taken in, or a call
// goes through. It reports whether there was any.
func (s *sim) serve() bool {
	var ready []*simLife
	for _, l := range s.lives {
		if l.messages() {
			ready = append(ready, l)
		}
	}
	var calls []*simCall
	for _, c := range s.calls() {
		if !c.life.stuck && (c.ready == nil || c.ctx.Err() != nil || c.ready()) {
			calls = append(calls, c)
		}
	}
	if len(ready)+len(calls) == 0 {
		return false
	}
	if n := s.rng.IntN(len(ready) + len(calls)); n < len(ready) {
		ready[n].receive()
	} else {
		s.answer(calls[n-len(ready)])
	}
	s.check()
	return true
}

// answer lets a call through, or fails it as the faults of the moment say.
func (s *sim) answer(c *simCall) {
	roll := s.rng.IntN(100)
	switch err := c.ctx.Err(); {
	case err != nil:
		if c.write && roll < 50 {
			_ = c.do()
		}
		c.err = err
	case roll < s.failing:
		c.err = errors.New(c.key + ": disk full")
	default:
		c.err = c.do()
		if c.write && c.err == nil && roll < s.failing+s.losing {
			c.err = c.lost
		}
	}
	s.note("life %d: %s -> %v", c.life.n, c.key, c.err)
	s.take(c)
	synctest.Wait()
}

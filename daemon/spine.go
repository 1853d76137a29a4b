package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/sched/trigger"
	"iterion/sched/trigger/local"
)

// spine is what becomes of events here: the spine puts what they owe into the outbox,
// the worker carries it out. It is at work in the daemon that owns the store's
// singletons, in a store that is trusted.
type spine struct {
	d      *Daemon
	outbox *local.Outbox
	inbox  *local.Inbox
	reader *trigger.Spine
	worker *trigger.Worker
	subs   subscriptions

	mu     sync.Mutex
	latest spineLook // as of at
	at     time.Time
}

func newSpine(d *Daemon) *spine {
	l, o := d.o.Layout, local.Options{NoFsync: d.o.NoFsync, Log: d.log}
	s := &spine{
		d: d, outbox: local.OpenOutbox(l.TriggerEffects(), l.TriggerEffectsLog(), o), inbox: local.OpenInbox(l.TriggerInbox(), o),
		subs: subscriptions{options: TriggerOptions(l, d.bots), mark: func() uint64 { return bindings(l, d.bots) }},
	}
	s.reader = &trigger.Spine{
		Board: d.store, Inbox: s.inbox, Runs: d.runs, Outbox: s.outbox, Log: d.log,
		Subscriptions: s.current, Owed: func([]trigger.Effect) { s.worker.Wake() },
		MaxChain: func() int { return d.configNow().Limits.MaxChainDepth },
	}
	s.worker = &trigger.Worker{
		Outbox: s.outbox, Board: d.store, Launcher: spineRuns{clockRuns{d.host, d.runs}, d}, Log: d.log,
		Subscription: s.subscription, Nudge: d.disp.Nudge, Verdict: s.verdict,
	}
	return s
}

// look says that files have changed: there may be events, or effects that somebody
// wants to be tried again.
func (s *spine) look() {
	if s.reigns() {
		s.reader.Nudge()
		s.worker.Wake()
	}
}

func (s *spine) reigns() bool { return s.d.singleton.Load() && s.d.gate.open.Load() }

// Run waits until the spine is this daemon's to run, and runs it. A store that is no
// longer trusted lets it end, and begin again when it is.
func (s *spine) Run(ctx context.Context) error {
	for {
		for !s.reigns() {
			if !sleep(ctx, time.Second/20) {
				return nil
			}
		}
		if n, err := s.outbox.Expire(ctx, time.Now().UTC()); err != nil {
			s.d.log.Warn("the claims of an earlier daemon on effects cannot be ended, they run out", "err", err)
		} else if n > 0 {
			s.d.log.Info("effects that an earlier daemon was at are taken up again", "effects", n)
		}
		trusted, cancel := context.WithCancel(ctx)
		parts, trusted := errgroup.WithContext(trusted)
		parts.Go(func() error {
			defer cancel()
			for s.reigns() && sleep(trusted, time.Second/4) {
			}
			return nil
		})
		parts.Go(func() error { return ended(s.reader.Run(trusted)) })
		parts.Go(func() error { return s.worker.Run(trusted) })
		parts.Go(func() error { return s.follow(trusted) })
		parts.Go(func() error { return s.tidy(trusted) })
		if err := parts.Wait(); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// follow wakes held launches when the dispatcher has room for them.
func (s *spine) follow(ctx context.Context) error {
	changed, cancel := s.d.disp.Subscribe()
	defer cancel()
	free := 0
	for {
		now := freeSlots(s.d.disp.Snapshot())
		if now > free {
			s.worker.Freed(now)
		}
		free = now
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// freeSlots is how many runs a dispatcher would start now.
func freeSlots(s dispatch.Snapshot) int {
	if s.LastTick.IsZero() || !mayStart(s) {
		return 0
	}
	return s.SlotsMax - s.SlotsUsed
}

// tidyEvery is how often the inbox is made shorter.
const tidyEvery = 10 * time.Minute

// tidy lets the inbox forget what was evaluated, and of runs that are gone what was
// told of them.
func (s *spine) tidy(ctx context.Context) error {
	for sleep(ctx, tidyEvery) {
		at, ok, err := s.outbox.Cursor(ctx, trigger.FeedInbox)
		if err == nil && ok {
			var there map[string]bool
			if there, err = s.runsThere(); err == nil {
				err = s.inbox.Trim(ctx, at, func(id string) bool { return there[id] })
			}
		}
		if err != nil && ctx.Err() == nil {
			s.d.log.Warn("the inbox of events cannot be made shorter", "err", err)
		}
	}
	return nil
}

func (s *spine) runsThere() (map[string]bool, error) {
	ids, err := s.d.runs.IDs()
	there := make(map[string]bool, len(ids))
	for _, id := range ids {
		there[id] = true
	}
	return there, err
}

// current returns the subscriptions as the files say they are.
func (s *spine) current() (trigger.Set, error) {
	set, fresh, err := s.subs.load()
	if err == nil && fresh {
		s.d.remember(context.Background(), set)
	}
	return set, err
}

func (s *spine) subscription(_ context.Context, id string) (trigger.Subscription, error) {
	set, err := s.current()
	if err != nil {
		return trigger.Subscription{}, err
	}
	return set.Get(id)
}

func (s *spine) verdict(ctx context.Context, id, text string) error {
	o := trigger.WriteOptions{NoFsync: s.d.o.NoFsync}
	_, err := trigger.SetLastError(ctx, s.subs.options.Path, id, text, time.Now(), o)
	s.subs.forget()
	return err
}

// subscriptions reads the set again when one of its files has changed.
type subscriptions struct {
	options trigger.Options
	mark    func() uint64

	mu     sync.Mutex
	set    trigger.Set
	of     uint64
	loaded time.Time
}

// stale is after how long the set is read again in any case.
const stale = 5 * time.Second

func (s *subscriptions) load() (set trigger.Set, fresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mark := s.mark() // before the reading: what changes meanwhile is seen at the next
	if !s.loaded.IsZero() && mark == s.of && time.Since(s.loaded).Abs() < stale {
		return s.set, false, nil
	}
	if set, err = trigger.Load(s.options); err != nil {
		s.loaded = time.Time{}
		return set, false, err
	}
	s.set, s.of, s.loaded = set, mark, time.Now()
	return set, true, nil
}

func (s *subscriptions) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded = time.Time{}
}

// spineLook is how far the spine has come.
type spineLook struct {
	boardLag, inboxLag int64 // events that were not looked at yet
	counts             map[trigger.EffectState]int
}

func (l spineLook) fill(st *control.TriggerStatus) {
	st.BoardLag, st.InboxLag = l.boardLag, l.inboxLag
	st.Pending, st.Working, st.Failed = l.counts[trigger.Pending], l.counts[trigger.Claimed], l.counts[trigger.Failed]
}

func (s *spine) measure(ctx context.Context) (spineLook, error) {
	return measureSpine(ctx, s.outbox, s.inbox, s.d.store)
}

// measureSpine compares the places in the feeds with their ends.
func measureSpine(ctx context.Context, outbox trigger.Outbox, inbox trigger.Inbox, b trigger.BoardFeed) (spineLook, error) {
	var look spineLook
	for _, f := range []struct {
		name string
		lag  *int64
		tip  func(context.Context) (int64, error)
	}{{trigger.FeedBoard, &look.boardLag, b.Tip}, {trigger.FeedInbox, &look.inboxLag, inbox.Tip}} {
		at, ok, err := outbox.Cursor(ctx, f.name)
		if err != nil {
			return look, err
		}
		tip, err := f.tip(ctx)
		if err != nil {
			return look, err
		}
		if ok {
			*f.lag = max(tip-at, 0)
		}
		if f.name == trigger.FeedInbox && *f.lag > 0 { // not every entry is an event
			left, err := inbox.Events(ctx, at, 1)
			if err != nil {
				return look, err
			}
			if len(left) == 0 {
				*f.lag = 0
			}
		}
	}
	counts, err := outbox.Counts(ctx)
	look.counts = counts
	return look, err
}

// measureEvery is how old what the status says may be.
const measureEvery = time.Second / 4

// status returns how far the spine has come; nil where it is not this daemon's.
func (s *spine) status() *control.TriggerStatus {
	if !s.d.singleton.Load() {
		return nil
	}
	health, worker := s.reader.Health(), s.worker.Health()
	st := &control.TriggerStatus{
		Broken: health.Board.Broken + health.Inbox.Broken, LastBroken: health.Board.LastBroken, Problems: health.Problems,
		LastError: cmp.Or(health.LastError, worker.LastError),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.at).Abs() > measureEvery {
		look, err := s.measure(context.Background())
		if err != nil {
			st.LastError = cmp.Or(st.LastError, err.Error())
			return st
		}
		s.latest, s.at = look, time.Now()
	}
	s.latest.fill(st)
	return st
}

// spineRuns launches the runs of direct effects.
type spineRuns struct {
	clockRuns
	d *Daemon
}

var _ trigger.Launcher = spineRuns{}

// Admit takes a slot, see trigger.Launcher.
func (r spineRuns) Admit(ctx context.Context, l trigger.Launch) error {
	err := r.d.disp.Reserve(ctx, dispatch.Direct{
		RunID: l.RunID, Title: launchName(l), Bot: l.Subscription.BotID, By: trigger.Actor + ": " + l.Subscription.ID,
	})
	var held *dispatch.HeldBackError
	if errors.As(err, &held) || errors.Is(err, dispatch.ErrStopped) {
		return &trigger.HeldError{Reason: err.Error()}
	}
	return err
}

// Launched tells what came of it.
func (r spineRuns) Launched(runID string, err error) { r.d.disp.Launched(runID, err) }

func launchName(l trigger.Launch) string {
	if l.Event.Subject.Title != "" {
		return l.Event.Subject.Title
	}
	return fmt.Sprintf("%s: %s", l.Subscription.ID, l.Event.Kind)
}

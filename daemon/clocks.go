package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"iterion/bots"
	"iterion/bots/supervise"
	"iterion/daemon/dispatch"
	"iterion/native/run"
	"iterion/native/spend"
	"iterion/native/watch"
	"iterion/sched/audit"
	"iterion/sched/hostcron"
	"iterion/sched/localrun"
	"iterion/sched/resident"
	"iterion/sched/trigger"
)

// newHost is how runs without a card are started and ended.
func (d *Daemon) newHost() *localrun.Host {
	ledger := spend.Open(d.o.Layout.Root, spend.Options{NoFsync: d.o.NoFsync})
	return &localrun.Host{
		Runs: d.runs, StoreDir: d.o.Layout.Root, NoFsync: d.o.NoFsync, Exe: d.o.Exe, Log: d.log,
		Bots: func() *bots.Registry { return d.bots },
		Cap:  func(context.Context) error { return ledger.Gate(time.Now()) },
	}
}

// tickAudit is the audit of this host's own clocks.
func (d *Daemon) tickAudit() *audit.Log {
	return audit.Open(hostcron.Default(d.o.Home).Audit(), audit.Options{NoFsync: d.o.NoFsync})
}

// project is the folder that the store belongs to.
func (d *Daemon) project() string { return filepath.Dir(d.o.Layout.Root) }

func (d *Daemon) newClocks() *resident.Scheduler {
	l, options := d.o.Layout, TriggerOptions(d.o.Layout, d.bots)
	return resident.New(resident.Options{
		Path: l.ScheduleIntents(), File: d.atomic(false), LockPath: l.ScheduleLock,
		Audit: d.audit, Runs: clockRuns{d.host, d.runs}, Slots: clockSlots{d.disp}, NewID: run.NewID,
		Rows: func(ctx context.Context) (resident.Rows, error) {
			rows, set, err := clockRows(options)
			if err == nil {
				d.remember(ctx, set)
			}
			return rows, err
		},
		Verdict: func(ctx context.Context, id, text string) {
			_, err := trigger.SetLastError(ctx, options.Path, id, text, time.Now(), trigger.WriteOptions{NoFsync: d.o.NoFsync})
			if err != nil {
				d.log.Warn("the last error of a subscription cannot be kept", "schedule_id", id, "err", err)
			}
		},
		Changed: func() { d.sight.poke() },
		Workdir: d.project(), Env: supervise.AllowedEnv(os.Environ()), Log: d.log,
	})
}

// tick runs the clocks as soon as this daemon owns the store's singletons and has
// taken up what an earlier one left.
func (d *Daemon) tick(ctx context.Context) error {
	for s := d.disp.Snapshot(); !d.singleton.Load() || s.LastTick.IsZero(); s = d.disp.Snapshot() {
		if !sleep(ctx, time.Second/20) {
			return nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(d.o.Layout.ScheduleLock("any")), 0o700); err != nil {
		return fmt.Errorf("make a folder of the store: %w", err)
	}
	parts, ctx := errgroup.WithContext(ctx)
	parts.Go(func() error { return d.clocks.Run(ctx) })
	parts.Go(func() error { return d.nudgeClocks(ctx) })
	parts.Go(func() error { return d.watchBindings(ctx) })
	parts.Go(func() error { return d.goOn(ctx) })
	return parts.Wait()
}

// goOnEvery is how often it is looked for runs whose allowance is back.
const goOnEvery = 30 * time.Second

// goOn goes on with runs of clocks and events that waited for an allowance, while
// something may start.
func (d *Daemon) goOn(ctx context.Context) error {
	for {
		if mayStart(d.disp.Snapshot()) {
			ids, err := d.host.GoOn(ctx, time.Now())
			if err != nil && ctx.Err() == nil {
				d.log.Warn("runs that wait for an allowance cannot be looked for", "err", err)
			}
			for _, id := range ids {
				d.log.Info("the allowance is back: the run goes on", "run_id", id)
			}
		}
		if !sleep(ctx, goOnEvery) {
			return nil
		}
	}
}

// nudgeClocks tells the clocks when something may start that could not before.
func (d *Daemon) nudgeClocks(ctx context.Context) error {
	changed, cancel := d.disp.Subscribe()
	defer cancel()
	was := d.disp.Snapshot()
	for {
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
		now := d.disp.Snapshot()
		if mayStart(now) && (!mayStart(was) || now.SlotsMax-now.SlotsUsed > was.SlotsMax-was.SlotsUsed) {
			d.clocks.Nudge()
		}
		was = now
	}
}

// mayStart reports whether a dispatcher would start something, as far as its picture
// tells.
func mayStart(s dispatch.Snapshot) bool {
	return s.Ready && s.Desired.Desired != dispatch.DesiredPaused && !s.Spend.Reached && s.SpendProblem == "" && s.SlotsUsed < s.SlotsMax
}

// watchBindings tells the clocks when the subscriptions may have changed.
func (d *Daemon) watchBindings(ctx context.Context) error {
	dirs := []string{d.o.Layout.Dispatcher()}
	for _, dir := range d.bots.Paths() { // one that is made later is found by polling
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	w := watch.New(watch.Options{Dirs: dirs, Log: d.log})
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	var last uint64
	for {
		select {
		case <-ctx.Done():
			return <-ended
		case <-w.C():
		}
		if now := bindings(d.o.Layout, d.bots); now != last {
			last = now
			d.clocks.Reload()
		}
	}
}

// clockRuns are the runs of the store for the clocks.
type clockRuns struct {
	*localrun.Host
	dir *run.Dir
}

var _ resident.Runs = clockRuns{}

// Exists reports whether there is a run of that id, readable or not.
func (c clockRuns) Exists(ctx context.Context, id string) (bool, error) {
	made, _, err := c.Made(ctx, id)
	return made, err
}

// Made reports whether there is a run of that id, readable or not, and if its bot could
// not be started, why.
func (c clockRuns) Made(_ context.Context, id string) (made bool, unstarted, err error) {
	rec, err := c.dir.Get(id)
	var unreadable *run.UnreadableError
	switch {
	case err == nil:
		return true, localrun.Unstarted(rec), nil
	case errors.As(err, &unreadable):
		return true, nil, nil
	case errors.Is(err, run.ErrNotFound):
		return false, nil, nil
	}
	return false, nil, err
}

// Launch makes the run of a due slot.
func (c clockRuns) Launch(ctx context.Context, l resident.Launch) error {
	row := l.Row
	_, err := c.Host.Launch(ctx, localrun.Launch{
		RunID: l.RunID, BotID: row.BotID, Name: row.ID, Vars: l.Vars, Workdir: l.Workdir, By: l.By, Retry: row.Retry(),
		Source: run.Source{Kind: run.SourceSchedule, ScheduleID: row.ID, ScheduleName: row.ID, SubscriptionID: row.ID},
		Env:    map[string]string{"ITERION_SCHEDULE": row.ID},
	})
	return err
}

// clockSlots are the dispatcher's slots for the clocks.
type clockSlots struct{ disp *dispatch.Dispatcher }

var _ resident.Slots = clockSlots{}

// Reserve takes a slot, see resident.Slots.
func (s clockSlots) Reserve(ctx context.Context, runID string, row trigger.Subscription) error {
	err := s.disp.Reserve(ctx, dispatch.Direct{RunID: runID, Title: row.ID, Bot: row.BotID, By: run.SourceSchedule + " " + row.ID})
	var held *dispatch.HeldBackError
	if errors.Is(err, dispatch.ErrStopped) {
		return resident.ErrStopped
	}
	if errors.As(err, &held) {
		return &resident.HeldError{Guard: held.Guard, Reason: held.Reason, Remedy: held.Remedy, Slots: held.Guard == dispatch.GuardSlots, Err: err}
	}
	return err
}

// Launched tells what came of it.
func (s clockSlots) Launched(runID string, err error) { s.disp.Launched(runID, err) }

// unknownSubscription reports whether nobody can say what a subscription is.
func unknownSubscription(err error) bool { return errors.Is(err, trigger.ErrUnknown) }

var _ resident.Audit = (*audit.Log)(nil)

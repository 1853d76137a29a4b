package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"iterion/bots"
	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/sched/resident"
)

// cancelWait bounds how long a stop waits for the runs that it cancels: longer
// than a bot has between TERM and KILL.
const cancelWait = 20 * time.Second

// service is what the daemon does for its clients.
type service struct{ *Daemon }

var _ control.API = service{}

// Status returns the daemon's state.
func (d service) Status(context.Context) (control.Status, error) { return d.status(), nil }

func (d *Daemon) status() control.Status {
	host, _ := os.Hostname()
	mode, why := d.sight.board.Mode()
	return control.Status{
		Version: d.o.Version, PID: os.Getpid(), Host: host, StartedAt: d.started,
		StoreDir: d.o.Layout.Root, WorkspaceRoot: d.cfg.Workspace.Root, ConfigPath: d.o.ConfigPath,
		Singleton: d.singleton.Load(), Trusted: d.gate.open.Load(),
		ConfigProblem: d.config.shown(), RestartNeeded: d.config.waiting(),
		Watchdog: d.singleton.Load() && d.reaps(), Listen: d.web.addr(),
		Watcher:  control.Watcher{Mode: string(mode), Reason: why},
		Clocks:   d.clockHealth(),
		Triggers: d.sight.spine.status(),
		Dispatch: d.withRecords(d.disp.Snapshot()),
	}
}

// clockHealth is nil for a daemon that has no clocks.
func (d *Daemon) clockHealth() *resident.Health {
	if !d.singleton.Load() {
		return nil
	}
	h := d.clocks.Health()
	return &h
}

// withRecords adds what the records of live runs say now; the dispatcher itself
// looks at them only when they have ended.
func (d *Daemon) withRecords(s dispatch.Snapshot) dispatch.Snapshot {
	s.Running = slices.Clone(s.Running) // the snapshot's own is everybody's
	for i := range s.Running {
		r := &s.Running[i]
		if rec, err := d.runs.Get(r.RunID); err == nil {
			r.StartedAt, r.Progress = rec.StartedAt, rec.Progress
		}
	}
	return s
}

// Watch streams the picture of the board.
func (d service) Watch(ctx context.Context, send func(control.Frame) error) error {
	return d.feed.Watch(ctx, send)
}

// Issue returns one card, whole.
func (d service) Issue(ctx context.Context, ref string) (board.Issue, error) {
	id, err := d.store.Resolve(ctx, ref)
	if err != nil {
		return board.Issue{}, err
	}
	return d.store.Get(ctx, id)
}

// Why returns the dispatch guard table as it stands for a card.
func (d service) Why(ctx context.Context, ref string) ([]dispatch.Verdict, error) {
	id, err := d.store.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	rows, err := d.disp.Why(ctx, id)
	if err != nil {
		return nil, err
	}
	return watchdogVerdict(ctx, d.watchdog, d.store, id, rows)
}

// Create files a card.
func (d service) Create(ctx context.Context, in control.CreateIssue) (board.Issue, error) {
	if err := d.checkBot(in.Bot); err != nil {
		return board.Issue{}, err
	}
	is, err := d.store.Create(ctx, board.Issue{
		Title: in.Title, Body: in.Body, State: in.State, Labels: in.Labels, Priority: in.Priority,
		Assignee: in.Assignee, Bot: in.Bot, BotArgs: in.BotArgs,
	}, board.Cause{Actor: in.By})
	return d.nudged(is, err)
}

// checkBot refuses a slug that nothing has. A bot that is only broken may be
// mended before the card's turn comes.
func (d service) checkBot(slug string) error {
	if slug == "" {
		return nil
	}
	_, err := d.bots.Resolve(slug)
	var unknown *bots.NotFoundError
	if errors.As(err, &unknown) {
		return fmt.Errorf("%w: %w", board.ErrInvalid, err)
	}
	return nil
}

// Move refiles a card.
func (d service) Move(ctx context.Context, ref string, in control.MoveIssue) (board.Issue, error) {
	id, err := d.store.Resolve(ctx, ref)
	if err != nil {
		return board.Issue{}, err
	}
	move := d.store.Move
	if in.Reopen {
		move = d.store.Reopen
	}
	return d.nudged(move(ctx, id, in.To, board.Cause{Actor: in.By}))
}

// Comment appends a remark to a card.
func (d service) Comment(ctx context.Context, ref string, in control.AddComment) (board.Comment, error) {
	id, err := d.store.Resolve(ctx, ref)
	if err != nil {
		return board.Comment{}, err
	}
	return d.store.Comment(ctx, id, in.Author, in.Body, board.Cause{Actor: in.Author})
}

// ClearLastRun drops a card's pointer to its last run, which must have ended.
func (d service) ClearLastRun(ctx context.Context, ref string, by control.By) (board.Issue, error) {
	is, err := d.Issue(ctx, ref)
	if err != nil {
		return is, err
	}
	if err := d.checkEnded(is.LastRunID); err != nil {
		return is, err
	}
	return d.nudged(d.store.Update(ctx, is.ID, board.Patch{ClearLastRun: true}, board.Cause{Actor: by.By}))
}

// checkEnded refuses a run that may still be alive. Where its record does not
// tell, its lock does. A run that is gone, or was never, has ended.
func (d service) checkEnded(id string) error {
	if id == "" {
		return nil
	}
	rec, err := d.runs.Get(id)
	if errors.Is(err, run.ErrNotFound) {
		return nil
	}
	ended := err == nil && rec.Status.Final()
	if err != nil {
		live, err := d.runs.Locked(id)
		if err != nil {
			return err
		}
		ended = !live
	}
	if !ended {
		return fmt.Errorf("%w: run %s has not ended; cancel it first", board.ErrConflict, id)
	}
	return nil
}

func (d service) nudged(is board.Issue, err error) (board.Issue, error) {
	if err == nil {
		d.disp.Nudge(is.ID)
	}
	return is, err
}

// Bots lists the bots that slugs resolve to.
func (d service) Bots(context.Context) ([]control.BotInfo, error) {
	infos := []control.BotInfo{}
	for _, e := range d.bots.List() {
		if e.ShadowedBy == "" {
			infos = append(infos, botInfo(e))
		}
	}
	return infos, nil
}

func botInfo(e bots.Entry) control.BotInfo {
	m := e.Bot.Manifest
	info := control.BotInfo{Slug: m.Name, DisplayName: m.DisplayName, Icon: m.Icon,
		Description: m.Description, Version: m.Version, Enabled: m.Enabled}
	err := e.Err
	if err == nil {
		err = e.Bot.Launchable()
	}
	if err != nil {
		info.Problem = err.Error()
	}
	return info
}

// Pause stops the start of new runs.
func (d service) Pause(ctx context.Context, p control.Pause) (control.Status, error) {
	err := d.disp.Pause(ctx, p.Reason, p.By)
	return d.status(), err
}

// Unpause starts runs again, in a store that is trusted.
func (d service) Unpause(ctx context.Context, p control.Pause) (control.Status, error) {
	if !d.gate.open.Load() {
		return d.status(), fmt.Errorf("%w: %s", errUntrusted, d.gate.reason())
	}
	err := d.disp.Unpause(ctx, p.By)
	return d.status(), err
}

// errUntrusted is a conflict: the command is right, the store's state is not.
var errUntrusted = fmt.Errorf("dispatch stays paused (%w)", board.ErrTransitionRejected)

// Refresh looks at the whole board now.
func (d service) Refresh(context.Context, control.By) (control.Status, error) {
	d.disp.Refresh()
	return d.status(), nil
}

// Reload reads the config file again.
func (d service) Reload(ctx context.Context, _ control.By) (control.Status, error) {
	if d.o.ConfigPath == "" {
		return d.status(), fmt.Errorf("%w: the daemon was started without a config file, there is nothing to read again", board.ErrInvalid)
	}
	if err := d.reload(ctx); err != nil {
		return d.status(), fmt.Errorf("%w: %w", board.ErrInvalid, err)
	}
	return d.status(), nil
}

// Stop ends the daemon. Runs carry on, unless they are to be cancelled; then it
// waits for their end first. It goes on when the client hangs up.
func (d service) Stop(ctx context.Context, s control.Stop) (control.StopReport, error) {
	defer d.stop()
	report := control.StopReport{Running: d.disp.Snapshot().Running}
	if !s.CancelRuns {
		return report, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelWait)
	defer cancel()
	if err := d.disp.StopRuns(ctx, s.By); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return report, err
	}
	return report, nil
}

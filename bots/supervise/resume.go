package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"iterion/native/filelock"
	"iterion/native/run"
)

// Sentinels of runs that are to go on, or to be paused.
var (
	// ErrUnanswered: the run waits for a person's answers and has none.
	ErrUnanswered = errors.New("the run waits for answers; give them with `iterion runs answer`")
	// ErrNotResumable: the bot cannot go on where it was ended.
	ErrNotResumable = errors.New("the bot cannot be continued: its manifest does not say resume: true")
)

// errNoPlan is an ErrNotResumable: nothing says how the bot is to be started.
type errNoPlan struct{}

func (errNoPlan) Error() string {
	return planFile + " is missing, so how to start its bot again is not known: another program made the run, or the file was removed"
}

func (errNoPlan) Is(target error) bool { return target == ErrNotResumable }

// MayGoOn says why a run, as it stands, cannot be resumed, or nothing. It takes no
// lock. Errors: *run.TransitionError, ErrUnanswered, ErrNotResumable.
func MayGoOn(d *run.Dir, rec run.Record) error {
	_, err := (&Launcher{Runs: d}).planAgain(rec, Continue{})
	return err
}

// Continue is one run to go on with.
type Continue struct {
	RunID   string
	By      string // person or program
	Attempt int    // 0: as it is
	// Env replaces the ITERION_* variables that the launcher gave; nil: as before.
	Env     map[string]string
	Timeout time.Duration // 0: as before
	Stall   time.Duration // 0: as before
	// OverCap lets the run go on past the day's spending cap.
	OverCap bool
}

// Resume goes on with a run that is paused or failed_resumable, under its id, in
// its folder and with the plan of its first launch. A supervisor that cannot be
// started is a run that is failed_resumable again, code SUPERVISOR_LOST. Errors:
// run.ErrNotFound, *run.UnreadableError; *filelock.HeldError for a run that is at
// work; *run.TransitionError for one that has ended; ErrUnanswered, ErrNotResumable.
func (l *Launcher) Resume(ctx context.Context, c Continue) (*Process, error) {
	proc, err := l.resume(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("resume run %s: %w", c.RunID, err)
	}
	return proc, nil
}

func (l *Launcher) resume(ctx context.Context, c Continue) (*Process, error) {
	lock, err := l.lockIdle(ctx, c.RunID)
	if err != nil {
		return nil, err
	}
	rec, p, err := l.queue(ctx, c)
	if err != nil {
		_ = lock.Release()
		return nil, err
	}
	proc, err := l.spawn(rec.ID, p.PassEnv, lock)
	if err == nil {
		l.step("spawned")
		return proc, nil
	}
	return l.refuse(rec, lock, run.Outcome{Status: run.FailedResumable, Code: run.CodeSupervisorLost, Error: err.Error()})
}

// lockIdle takes the lock of a run that nobody supervises. One that has just been
// paused may be held a moment longer.
func (l *Launcher) lockIdle(ctx context.Context, id string) (*filelock.Lock, error) {
	for deadline := time.Now().Add(filelock.DefaultWait); ; {
		rec, err := l.Runs.Get(id)
		if err != nil {
			return nil, err
		}
		lock, err := l.Runs.TryLock(id)
		var held *filelock.HeldError
		if !errors.As(err, &held) || needsSupervisor(rec.Status) || time.Now().After(deadline) {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockRetry):
		}
	}
}

// queue takes a run whose lock is held from where it stands to queued, durably.
func (l *Launcher) queue(ctx context.Context, c Continue) (run.Record, plan, error) {
	rec, err := l.Runs.Get(c.RunID)
	if err == nil {
		err = recoverLocked(ctx, l.Runs, &rec) // it may have lost its supervisor
	}
	if err != nil {
		return rec, plan{}, err
	}
	p, err := l.planAgain(rec, c)
	if err != nil {
		return rec, p, err
	}
	if err := p.write(l.runDir(rec.ID)); err != nil {
		return rec, p, err
	}
	l.step("planned")
	if err := l.Runs.ClearIntent(rec.ID); err != nil {
		return rec, p, err
	}
	l.step("cleared")
	from := rec.Status
	if err := rec.Become(run.Outcome{Status: run.Queued}, time.Now()); err != nil {
		return rec, p, err
	}
	rec.Attempt = cmp.Or(c.Attempt, rec.Attempt)
	rec.Owner, rec.Awaiting, rec.ExitCode, rec.Signal = nil, nil, nil, ""
	if err := l.Runs.Save(rec); err != nil {
		return rec, p, err
	}
	l.step("queued")
	l.tellResumed(rec, from, c.By)
	l.step("told")
	return rec, p, nil
}

// planAgain is the plan of a run that goes on, or why it may not.
func (l *Launcher) planAgain(rec run.Record, c Continue) (plan, error) {
	if !rec.Status.CanBecome(run.Queued) {
		return plan{}, &run.TransitionError{From: rec.Status, To: run.Queued}
	}
	p, err := readPlan(l.runDir(rec.ID))
	switch {
	case err == nil:
		err = l.mayGoOn(rec, p)
	case errors.Is(err, fs.ErrNotExist):
		err = errNoPlan{}
	}
	if err != nil {
		return p, err
	}
	p.NoFsync, p.OverCap, p.By = l.NoFsync, c.OverCap, c.By
	p.StoreDir = cmp.Or(l.StoreDir, p.StoreDir)
	p.Timeout, p.Stall = cmp.Or(c.Timeout, p.Timeout), cmp.Or(c.Stall, p.Stall)
	if c.Env != nil {
		p.Extra = c.Env
	}
	return p, nil
}

// mayGoOn: a question needs its answers. A failure needs a bot that can be
// continued, unless the bot saw nothing of the failed attempt to go on.
func (l *Launcher) mayGoOn(rec run.Record, p plan) error {
	switch {
	case rec.Status == run.PausedHuman:
		answered, err := l.Runs.Answered(rec)
		if err == nil && !answered {
			err = ErrUnanswered
		}
		return err
	case rec.Status == run.FailedResumable && !p.Resume && rec.FailureCode != run.CodeSupervisorLost && rec.FailureCode != run.CodeLaunchFailed:
		return ErrNotResumable
	}
	return nil
}

// tellResumed notes who goes on with the run. The record says that it does; an
// event that is missing is a pity and no more.
func (l *Launcher) tellResumed(rec run.Record, from run.Status, by string) {
	data := map[string]any{"from": from, "attempt": rec.Attempt}
	if by != "" {
		data["by"] = by
	}
	j, err := l.Runs.Journal(rec.ID)
	if err == nil {
		err = j.Append(run.Event{Type: run.EventResumed, Data: data}, false)
	}
	if err != nil {
		l.log().Warn("event of a resumed run", "run_id", rec.ID, "err", err)
	}
}

package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"iterion/native/filelock"
	"iterion/native/proctree"
	"iterion/native/run"
)

// How often Await looks: quickly at first, for many runs are short; then at an
// easy pace, which is only the net where the exit of the supervisor cannot be
// waited for.
const (
	firstLook = 2 * time.Millisecond
	laterLook = 100 * time.Millisecond
	nextTry   = time.Second
)

// Await blocks until the run is final or paused and returns its record. A run that
// lost its supervisor is settled on the way. The end of ctx ends the wait and
// nothing else. An unreadable record is waited on as long as its lock is held. A
// run whose folder is removed meanwhile is run.ErrNotFound, but not before its
// processes have ended.
func Await(ctx context.Context, d *run.Dir, id string) (run.Record, error) {
	var last run.Record // that could be read
	pause := firstLook
	for {
		rec, live, err := glance(ctx, d, id)
		if err == nil {
			last = rec
		}
		if errors.Is(err, run.ErrNotFound) {
			live, err = removed(ctx, last, err)
		}
		if !live && !unproven(err) {
			return rec, err
		}
		if unproven(err) {
			pause = nextTry
		}
		if err := waitExit(ctx, last.Owner, pause); err != nil {
			return rec, fmt.Errorf("await run %s: %w", id, err)
		}
		pause = min(2*pause, laterLook)
	}
}

// removed judges a run whose folder is not there: by its last record its
// supervisor may live, which then is about to end, or have left survivors.
func removed(ctx context.Context, last run.Record, notFound error) (live bool, err error) {
	if last.Owner == nil {
		return false, notFound
	}
	live, err = proctree.Identity(*last.Owner).Alive()
	if live || err != nil {
		return live, err
	}
	if err := endSurvivors(ctx, &last); err != nil {
		return false, err
	}
	return false, notFound
}

// glance returns the run as it stands and whether there is anything to wait for.
func glance(ctx context.Context, d *run.Dir, id string) (rec run.Record, live bool, err error) {
	rec, err = d.Get(id)
	if err == nil && (rec.Status.Final() || rec.Status.Paused()) {
		return rec, false, nil
	}
	if errors.Is(err, run.ErrNotFound) {
		return rec, false, err
	}
	held, lerr := d.Locked(id)
	if held || lerr != nil {
		return rec, held, errors.Join(err, lerr)
	}
	rec, err = Recover(ctx, d, id)
	return rec, err == nil && !rec.Status.Final() && !rec.Status.Paused(), err
}

func unproven(err error) bool {
	var left *proctree.SurvivorsError
	return errors.As(err, &left) || errors.Is(err, proctree.ErrElsewhere)
}

// Recover settles a run that lost its supervisor, as the package comment says. A
// run that has one, or that has ended, is returned as it is. When survivors
// withstand SIGKILL, or when the supervisor ran on another host, the record stays
// running with code KILL_UNCONFIRMED and the error wraps *proctree.SurvivorsError
// or proctree.ErrElsewhere. A record that cannot be read stays as it is and is a
// *run.UnreadableError; without a supervisor its processes are ended even so.
func Recover(ctx context.Context, d *run.Dir, id string) (run.Record, error) {
	lock, err := d.TryLock(id)
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return d.Get(id)
	}
	if err != nil {
		rec, gerr := d.Get(id)
		if errors.Is(gerr, run.ErrNotFound) {
			err = gerr
		}
		return rec, fmt.Errorf("recover run %s: %w", id, err)
	}
	defer lock.Release()
	rec, err := d.Get(id)
	var unreadable *run.UnreadableError
	switch {
	case err == nil:
		err = recoverLocked(ctx, d, &rec)
	case errors.As(err, &unreadable): // its processes still tell by their environment whose they are
		err = errors.Join(endSurvivors(ctx, &run.Record{ID: id}), err)
	}
	if err != nil {
		return rec, fmt.Errorf("recover run %s: %w", id, err)
	}
	return rec, nil
}

// recoverLocked is called with the run's lock held.
func recoverLocked(ctx context.Context, d *run.Dir, rec *run.Record) error {
	switch {
	case rec.Status.Final():
		return d.EnsureOutcome(*rec)
	case rec.Status == run.Queued:
		return settle(d, rec, orphaned(d, rec.ID, run.Outcome{Status: run.Failed, Code: run.CodeSupervisorLost,
			Error: "the supervisor died before the bot started"}))
	case rec.Status != run.Running:
		return nil
	}
	if err := endSurvivors(ctx, rec); err != nil {
		rec.Doubt(err.Error(), time.Now())
		return errors.Join(err, d.Save(*rec))
	}
	return settle(d, rec, orphaned(d, rec.ID, run.Outcome{Status: run.FailedResumable, Code: run.CodeProcessOrphaned,
		Error: "the supervisor died while the bot ran"}))
}

// orphaned is o, unless a person had asked for the run to be cancelled.
func orphaned(d *run.Dir, id string, o run.Outcome) run.Outcome {
	if in, err := d.Intent(id); err == nil && in != nil && in.Verb == run.VerbCancel {
		return ending{asked: in}.verdict()
	}
	return o
}

// endSurvivors ends what is left of the tree of a dead supervisor.
func endSurvivors(ctx context.Context, rec *run.Record) error {
	owner := proctree.Identity{}
	if rec.Owner != nil {
		owner = proctree.Identity(*rec.Owner)
		if here, err := owner.ThisBoot(); err != nil || !here {
			return err // an earlier boot left nothing
		}
	}
	ofRun, inSession := proctree.ByEnviron("ITERION_RUN_ID", rec.ID), proctree.BySession(owner)
	mine := func(p proctree.Process) bool {
		return p.PID != os.Getpid() && (owner.PID != 0 && inSession(p) || ofRun(p))
	}
	left := func() ([]proctree.Process, error) { return proctree.Orphans(mine, apart) }
	return proctree.End(ctx, left, proctree.Patience{Grace: time.Second, Proof: proof})
}

// RequestStop asks the run's supervisor to end it and returns once that is
// durable; Await tells when it has ended. Asking a run that has ended changes
// nothing.
func RequestStop(d *run.Dir, id string, in run.Intent) error {
	if in.At.IsZero() {
		in.At = time.Now().UTC()
	}
	rec, err := d.Get(id)
	if err == nil && rec.Status.Final() {
		return nil
	}
	return d.SetIntent(id, in)
}

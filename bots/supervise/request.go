package supervise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/filelock"
	"iterion/native/run"
)

// lockRetry is how long to wait for a lock that is held for a moment only.
const lockRetry = 5 * time.Millisecond

// RequestStop asks for something of a run and returns once that is durable. A
// supervisor does it in its own time, which Await tells. A run that is paused or
// failed_resumable has none: a cancel settles it here and now, and there is
// nothing to stop or pause. Asking a run that has ended changes nothing. A pause of
// a bot that cannot be continued is ErrNotResumable.
func RequestStop(d *run.Dir, id string, in run.Intent) error {
	if in.At.IsZero() {
		in.At = time.Now().UTC()
	}
	for deadline := time.Now().Add(filelock.DefaultWait); ; time.Sleep(lockRetry) {
		settled, err := request(d, id, in)
		var held *filelock.HeldError
		if errors.As(err, &held) && time.Now().Before(deadline) {
			continue // it is being resumed, answered or written down
		}
		if settled || err != nil {
			return err
		}
	}
}

// request does what it can now. A run that changed meanwhile is to be looked at
// again: settled is false then.
func request(d *run.Dir, id string, in run.Intent) (settled bool, err error) {
	rec, err := d.Get(id)
	switch {
	case err != nil:
		return true, fmt.Errorf("%s run: %w", in.Verb, err)
	case !needsSupervisor(rec.Status):
		return true, settleIdle(d, id, in)
	case in.Verb == run.VerbPause:
		if err := pausable(d, id); err != nil {
			return true, err
		}
	}
	if err := d.SetIntent(id, in); err != nil {
		return true, err
	}
	return stillAsked(d, id)
}

func needsSupervisor(s run.Status) bool { return s == run.Queued || s == run.Running }

// stillAsked reports whether the intent reached the run while somebody is there to
// look at it.
func stillAsked(d *run.Dir, id string) (bool, error) {
	rec, err := d.Get(id)
	if err != nil {
		return true, nil // what was asked is written down
	}
	if !needsSupervisor(rec.Status) {
		return rec.Status == run.Finished || rec.Status == run.Failed || rec.Status == run.Cancelled, nil
	}
	in, err := d.Intent(id)
	return in != nil || err != nil, nil
}

// settleIdle does what is asked of a run that has no supervisor.
func settleIdle(d *run.Dir, id string, in run.Intent) error {
	rec, err := d.Get(id)
	if err != nil || in.Verb != run.VerbCancel || !rec.Status.CanBecome(run.Cancelled) {
		return err
	}
	lock, err := d.TryLock(id)
	if err != nil {
		return err
	}
	defer lock.Release()
	if rec, err = d.Get(id); err != nil {
		return err
	}
	if !rec.Status.CanBecome(run.Cancelled) {
		return nil
	}
	if err := recoverLocked(context.Background(), d, &rec); err != nil || !rec.Status.CanBecome(run.Cancelled) {
		return err
	}
	return settle(d, &rec, ending{asked: &in}.outcome())
}

func pausable(d *run.Dir, id string) error {
	p, err := readPlan(d.Path(id))
	if err != nil {
		return fmt.Errorf("pause run %s: %w", id, err)
	}
	if !p.Resume {
		return fmt.Errorf("pause run %s: %w", id, ErrNotResumable)
	}
	return nil
}

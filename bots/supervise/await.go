package supervise

import (
	"context"
	"errors"
	"fmt"
	"time"

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

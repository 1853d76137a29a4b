package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"iterion/native/filelock"
	"iterion/native/proctree"
	"iterion/native/run"
	"iterion/native/spend"
)

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
	switch rec.Status {
	case run.Queued:
		return settle(d, rec, orphaned(d, *rec, neverStarted(*rec)))
	case run.Running:
		return recoverRunning(ctx, d, rec)
	}
	if o, asked := cancelled(d, *rec); asked {
		return settle(d, rec, o)
	}
	return ensureTold(d, *rec)
}

// neverStarted is how a run ends whose supervisor was lost before the bot started.
// One that was to go on may do so later: nothing of it was touched.
func neverStarted(rec run.Record) run.Outcome {
	o := run.Outcome{Status: run.Failed, Code: run.CodeSupervisorLost, Error: "the supervisor died before the bot started"}
	if !rec.StartedAt.IsZero() {
		o.Status, o.Error = run.FailedResumable, "the supervisor died before the bot went on"
	}
	return o
}

func recoverRunning(ctx context.Context, d *run.Dir, rec *run.Record) error {
	if err := endSurvivors(ctx, rec); err != nil {
		rec.Doubt(err.Error(), time.Now())
		return errors.Join(err, d.Save(*rec))
	}
	countLost(ctx, d, rec)
	return settle(d, rec, orphaned(d, *rec, run.Outcome{Status: run.FailedResumable, Code: run.CodeProcessOrphaned,
		Error: "the supervisor died while the bot ran"}))
}

// orphaned is o, unless a person had asked for the run to be cancelled.
func orphaned(d *run.Dir, rec run.Record, o run.Outcome) run.Outcome {
	if c, asked := cancelled(d, rec); asked {
		return c
	}
	return o
}

// countLost counts what the bot reported last, its costs and outputs, which its
// supervisor did not live to count, and tells the ledger. What cannot be read or
// written must not keep the run from its end: a run that goes on catches up.
func countLost(ctx context.Context, d *run.Dir, rec *run.Record) {
	p, err := readPlan(d.Path(rec.ID))
	if err == nil {
		err = countReports(d, rec, p)
	}
	if err == nil && rec.CostUSD > 0 {
		ledger := spend.Open(p.StoreDir, spend.Options{NoFsync: p.NoFsync})
		_, _ = ledger.Record(ctx, rec.ID, rec.CreatedAt, rec.CostUSD, time.Now())
	}
}

func countReports(d *run.Dir, rec *run.Record, p plan) error {
	output, err := readResults(d.Path(rec.ID))
	if err != nil {
		return err
	}
	silent := func() {}
	said := &account{hide: newRedactor(nil), note: func(string) {}, busy: silent, urge: silent, spent: tallyOf(*rec), output: output}
	reports := &tail{path: filepath.Join(d.Path(rec.ID), run.ReportsFile), at: rec.ReportsRead, hide: said.hide,
		lines: &lines{each: said.line, max: maxReport}}
	if err := reports.close(); err != nil {
		return err
	}
	// Where the bot was let in on secrets, nobody here knows them: such outputs of
	// the last second are not kept.
	if news, _ := said.news(); len(news.outputs) > 0 && len(p.PassEnv) == 0 {
		if err := d.SetOutput(rec.ID, said.output.all()); err != nil {
			return err
		}
	}
	rec.ReportsRead = reports.done()
	said.spent.into(rec)
	return nil
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

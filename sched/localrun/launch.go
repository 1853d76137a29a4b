package localrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"iterion/bots"
	"iterion/bots/manifest"
	"iterion/bots/supervise"
	"iterion/native/run"
)

// Launch is one run to start.
type Launch struct {
	RunID, BotID, Name string
	Source             run.Source
	Vars               map[string]string
	Workdir            string        // absolute; empty: the run's own folder
	Timeout            time.Duration // 0: the manifest's
	ChainDepth         int
	By                 string            // person or program that asks
	Env                map[string]string // ITERION_* variables that only the caller knows
	// Retry is what the schedule, the subscription or the call says of a used up
	// allowance, see GoOn; it counts before the manifest.
	Retry manifest.Retry
}

// RefusedError says that a launch will never work as it is: there is no such bot, it
// is switched off or cannot be read, or its vars are wrong. Trying again is of no
// use.
type RefusedError struct {
	BotID string
	Err   error
}

func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// UnstartedError is a run that is on record and whose bot was never started.
type UnstartedError struct{ Record run.Record }

func (e *UnstartedError) Error() string {
	return fmt.Sprintf("run %s could not be started: %s", e.Record.ID, e.Record.Error)
}

// RunMade tells the gate that the run exists.
func (e *UnstartedError) RunMade() bool { return true }

// Unstarted returns an *UnstartedError if the record is of a run whose bot was never
// started, for whoever finds the launch of another that died.
func Unstarted(rec run.Record) error {
	if rec.Status == run.Failed && (rec.FailureCode == run.CodeLaunchFailed || rec.FailureCode == run.CodeSupervisorLost) {
		return &UnstartedError{Record: rec}
	}
	return nil
}

// Launch starts a run and returns its record once the bot runs. When a run of that
// id exists its record is returned, and no error; it holds nothing but the id if it
// cannot be read. Errors: *RefusedError, *UnstartedError, what Host.Cap says, or
// trouble that may pass; only after an *UnstartedError there is a run.
func (h *Host) Launch(ctx context.Context, l Launch) (run.Record, error) {
	if rec, ok := h.existing(l.RunID); ok {
		return rec, nil
	}
	spec, err := h.spec(l)
	if err != nil {
		return run.Record{}, err
	}
	if h.Cap != nil {
		if err := h.Cap(ctx); err != nil {
			return run.Record{}, err
		}
	}
	proc, err := h.launcher().Start(ctx, spec)
	if errors.Is(err, run.ErrExists) {
		rec, _ := h.existing(l.RunID)
		return rec, nil
	}
	if err != nil {
		return run.Record{}, err
	}
	return h.started(ctx, proc)
}

// existing returns the run of that id, if there is one.
func (h *Host) existing(id string) (run.Record, bool) {
	rec, err := h.Runs.Get(id)
	var unreadable *run.UnreadableError
	if errors.As(err, &unreadable) {
		_, err = os.Lstat(h.Runs.Path(id))
		rec.ID = id
	}
	return rec, err == nil
}

// spec is the launch as the supervisor takes it, or why it will not do.
func (h *Host) spec(l Launch) (supervise.Spec, error) {
	bot, err := h.bot(l.BotID)
	if err != nil {
		return supervise.Spec{}, err
	}
	inputs, err := bot.Manifest.FitVars(l.Vars)
	if err != nil {
		return supervise.Spec{}, &RefusedError{l.BotID, err}
	}
	if err := checkWorkdir(l); err != nil {
		return supervise.Spec{}, err
	}
	return supervise.Spec{
		RunID: l.RunID, Name: l.Name, Bot: bot, Source: l.Source, Attempt: 1, Workdir: l.Workdir, Inputs: inputs,
		Env: l.Env, Timeout: l.Timeout, ChainDepth: l.ChainDepth, By: l.By,
		Retry: Retry(machineRetry, bot.Manifest.Retry, l.Retry),
	}, nil
}

// bot resolves a slug. A program that is not installed may be tomorrow; everything
// else is the bot's own fault.
func (h *Host) bot(slug string) (bots.Bot, error) {
	bot, err := h.Bots().Resolve(slug)
	if err != nil {
		return bot, &RefusedError{slug, err}
	}
	err = bot.Launchable()
	var missing *bots.MissingProgramError
	if err != nil && !errors.As(err, &missing) {
		err = &RefusedError{slug, err}
	}
	return bot, err
}

func checkWorkdir(l Launch) error {
	if l.Workdir == "" {
		return nil
	}
	if !filepath.IsAbs(l.Workdir) {
		return &RefusedError{l.BotID, fmt.Errorf("the working folder %s is not an absolute path", l.Workdir)}
	}
	info, err := os.Stat(l.Workdir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("the working folder %s does not exist", l.Workdir)
	case err != nil:
		return fmt.Errorf("the working folder %s cannot be used: %w", l.Workdir, err)
	case !info.IsDir():
		return fmt.Errorf("the working folder %s is not a folder", l.Workdir)
	}
	return nil
}

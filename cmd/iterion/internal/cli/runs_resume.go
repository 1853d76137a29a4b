package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"iterion/bots/supervise"
	"iterion/daemon/control"
	"iterion/native/board"
	"iterion/native/filelock"
	"iterion/native/run"
	"iterion/native/spend"
)

// goOnOptions say how a run is to go on.
type goOnOptions struct {
	attend  bool
	overCap bool

	from    int64          // place in the log where a watch begins
	answers map[string]any // those that it is to go on with, as Form.Fit returns them
}

func (o *goOnOptions) flags(c *cobra.Command) {
	fl := c.Flags()
	fl.BoolVar(&o.attend, "attend", false, "watch the run as iterion run does, and exit with its verdict")
	fl.BoolVar(&o.overCap, "over-cap", false, "start it here though the day's spending has reached its cap")
}

func newRunsResume(f *Factory) *cobra.Command {
	var o goOnOptions
	c := &cobra.Command{
		Use: "resume RUN", Short: "Let a paused or failed run go on", Args: exactly("RUN"),
		Long: "Let a run go on under its own id: one that was paused, one whose question was answered, or one\n" +
			"that failed and can be continued (failed_resumable). A run that is at work already is left\n" +
			"alone. The running daemon starts it as soon as it has a slot; without one it is started here.",
		Example:           "  iterion runs resume 3f2a91bc\n  iterion runs resume 3f2a91bc --attend",
		ValidArgsFunction: f.completeWaiting,
		RunE:              func(c *cobra.Command, args []string) error { return runRunsResume(c.Context(), f, o, args[0]) },
	}
	o.flags(c)
	return c
}

func runRunsResume(ctx context.Context, f *Factory, o goOnOptions, ref string) error {
	runs, rec, err := f.findSettled(ctx, ref)
	if err != nil {
		return err
	}
	switch {
	case atWork(rec) && o.attend:
		return f.seeOut(ctx, runs, rec.ID, o)
	case atWork(rec):
		return f.printRun(runs, rec, "already at work: run")
	case rec.Status.Final() && rec.Status != run.FailedResumable:
		return &ExitError{Code: ExitConflict, Hint: "`iterion run " + rec.Bot + "` starts another",
			Err: fmt.Errorf("run %s has ended for good: %s", run.Short(rec.ID), statusWords(rec))}
	}
	if err := mustBeAnswered(runs, rec); err != nil {
		return err
	}
	return f.goOn(ctx, runs, rec, o, "resumed run")
}

func mustBeAnswered(runs *run.Dir, rec run.Record) error {
	if rec.Status != run.PausedHuman {
		return nil
	}
	in, err := runs.Pending(rec)
	if err != nil {
		return err
	}
	if in.Answered() {
		return nil
	}
	return &ExitError{Code: ExitConflict, Hint: answerUsage(in),
		Err: fmt.Errorf("run %s waits for an answer:\n%s", run.Short(rec.ID), indent(questionText(in.Questions)))}
}

// goOn lets a run go on and prints what was done, or watches it when that was
// wanted.
func (f *Factory) goOn(ctx context.Context, runs *run.Dir, rec run.Record, o goOnOptions, done string) error {
	if info, err := os.Stat(runs.LogPath(rec.ID)); err == nil {
		o.from = info.Size() // what was printed before was seen before
	}
	next, err := f.letGoOn(ctx, runs, rec, o)
	if err != nil {
		return err
	}
	if err := o.mineCount(runs, next); err != nil {
		return err
	}
	if !o.attend {
		f.Talk("`iterion runs logs -f %s` follows it", run.Short(rec.ID))
		return f.printRun(runs, next, done)
	}
	if err := f.awaitStart(ctx, runs, rec); err != nil {
		return err
	}
	return f.seeOut(ctx, runs, rec.ID, o)
}

// letGoOn lets a run go on, through the store's daemon when there is one.
func (f *Factory) letGoOn(ctx context.Context, runs *run.Dir, rec run.Record, o goOnOptions) (run.Record, error) {
	if err := canGoOn(runs, rec); err != nil {
		return rec, err
	}
	next, err := f.byDaemon(ctx, runs, rec, o)
	switch {
	case isNoDaemon(err):
		next, err = f.resumeHere(ctx, runs, rec, o)
	case err == nil && !next.Status.Final() && !atWork(next):
		f.Talk("%s", f.daemonStarts())
	}
	if err != nil {
		return next, notResumed(runs, rec, err)
	}
	return next, nil
}

// canGoOn refuses a run that never can go on, which a daemon would find out only
// after it has taken it.
func canGoOn(runs *run.Dir, rec run.Record) error {
	err := supervise.MayGoOn(runs, rec)
	if !errors.Is(err, supervise.ErrNotResumable) {
		return nil
	}
	id := run.Short(rec.ID)
	return &ExitError{Code: ExitConflict, Err: fmt.Errorf("run %s cannot go on: %w", id, err),
		Hint: "`iterion runs cancel " + id + "` ends it for good; `iterion run " + rec.Bot + "` starts another"}
}

// daemonStarts says when the daemon starts a run that was handed to it.
func (f *Factory) daemonStarts() string {
	var reached *spend.CapError
	if ledger, err := f.Ledger(); err == nil && errors.As(ledger.Gate(f.Now()), &reached) {
		return "the daemon starts it when the cap is lifted or the day is over: " + reached.Error() + "; --over-cap starts it now"
	}
	return "the daemon starts it as soon as it has a slot"
}

// mineCount tells who answered that somebody else did so in the same moment, and
// that the bot is given the answers of that one.
func (o goOnOptions) mineCount(runs *run.Dir, rec run.Record) error {
	if o.answers == nil {
		return nil
	}
	given, err := runs.Answers(rec)
	if err != nil || sameAnswers(given, o.answers) {
		return err
	}
	return &ExitError{Code: ExitConflict, Hint: "`iterion runs show " + run.Short(rec.ID) + "` tells which",
		Err: fmt.Errorf("somebody else answered run %s in the same moment: it goes on with their answers", run.Short(rec.ID))}
}

// sameAnswers compares what would be written: a number is the same however it was
// read.
func sameAnswers(a, b map[string]any) bool {
	one, err := json.Marshal(a)
	two, berr := json.Marshal(b)
	return err == nil && berr == nil && bytes.Equal(one, two) || len(a)+len(b) == 0
}

// byDaemon hands the run to the daemon. The daemon keeps to the cap, so a run past
// it is started here.
func (f *Factory) byDaemon(ctx context.Context, runs *run.Dir, was run.Record, o goOnOptions) (run.Record, error) {
	if o.overCap {
		return run.Record{}, control.ErrNoDaemon
	}
	daemon, err := f.Control()
	if err != nil {
		return run.Record{}, err
	}
	rec, err := daemon.ResumeRun(ctx, was.ID, control.By{By: f.Actor()})
	if errors.Is(err, board.ErrConflict) {
		return f.startedMeanwhile(ctx, runs, was, err)
	}
	return rec, err
}

// launchWait is longer than the daemon takes from seeing answers to a run that is
// at work.
const launchWait = 5 * time.Second

// startedMeanwhile is the run once it is at work, for the daemon sees answers by
// itself, and somebody else may be about to start what is to be started. Else the
// conflict is one with whoever holds the run.
func (f *Factory) startedMeanwhile(ctx context.Context, runs *run.Dir, was run.Record, conflict error) (run.Record, error) {
	bounded, done := context.WithTimeout(ctx, launchWait)
	defer done()
	if err := f.awaitStart(bounded, runs, was); err != nil {
		return was, conflict
	}
	rec, err := runs.Get(was.ID)
	if err == nil && rec.Status == run.Cancelled {
		err = Conflictf("it was cancelled meanwhile")
	}
	return rec, err
}

func atWork(rec run.Record) bool { return rec.Status == run.Queued || rec.Status == run.Running }

// notResumed says of a run whose answers were stored that they were.
func notResumed(runs *run.Dir, rec run.Record, err error) error {
	code, hint := Exit(err)
	if now, gerr := runs.Get(rec.ID); gerr == nil {
		rec = now
	}
	if rec.Status == run.PausedHuman {
		hint = joinHints(hint, "its answers are stored; `iterion runs resume "+run.Short(rec.ID)+"` tries again")
	}
	return &ExitError{Code: code, Hint: hint, Err: fmt.Errorf("run %s does not go on: %w", run.Short(rec.ID), err)}
}

func joinHints(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}

func (f *Factory) resumeHere(ctx context.Context, runs *run.Dir, rec run.Record, o goOnOptions) (run.Record, error) {
	l, err := f.Layout()
	if err != nil {
		return rec, err
	}
	if err := f.RequireTrust(l); err != nil {
		return rec, err
	}
	if !o.overCap {
		if err := spend.Open(l.Root, spend.Options{NoFsync: f.Global.NoFsync}).Gate(f.Now()); err != nil {
			return rec, err
		}
	}
	launcher := &supervise.Launcher{Runs: runs, StoreDir: l.Root, NoFsync: f.Global.NoFsync}
	start := func() error {
		_, err := launcher.Resume(ctx, supervise.Continue{RunID: rec.ID, By: f.Actor(), OverCap: o.overCap})
		return err
	}
	err = f.withCardOf(ctx, runs, rec, start)
	var held *filelock.HeldError
	var gone *run.TransitionError
	switch {
	case errors.As(err, &held), errors.As(err, &gone):
		return f.startedMeanwhile(ctx, runs, rec, err)
	case err != nil:
		return rec, err
	}
	return runs.Get(rec.ID)
}

// awaitStart waits until a run that the daemon has taken over has a slot: until it
// is not any more what it was before it was to go on.
func (f *Factory) awaitStart(ctx context.Context, runs *run.Dir, was run.Record) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		rec, err := runs.Get(was.ID)
		if err != nil {
			return err
		}
		if rec.Status != was.Status || !rec.UpdatedAt.Equal(was.UpdatedAt) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err() // the run is the daemon's and waits on
		case <-tick.C:
		}
	}
}

// printRun prints what was done to a run as a verb's result: its id is the last
// word.
func (f *Factory) printRun(runs *run.Dir, rec run.Record, done string) error {
	switch {
	case f.Global.JSON:
		return f.printRecord(runs, rec)
	case f.Global.Quiet:
		f.Say("%s", rec.ID)
	default:
		f.Say("%s %s", done, rec.ID)
	}
	return nil
}

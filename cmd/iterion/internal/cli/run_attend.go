package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"iterion/bots/supervise"
	"iterion/native/run"
)

// lookEvery is how often an attended run is looked at for new output.
const lookEvery = 40 * time.Millisecond

// attend shows a run until it ends or pauses, and returns its record. The
// user's first interrupt cancels the run, the second kills its processes.
func (f *Factory) attend(ctx context.Context, runs *run.Dir, id string) (run.Record, error) {
	calm, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	ended := awaitRun(calm, runs, id)
	show := newShow(f, runs, id)
	defer show.close()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	first, again := ctx.Done(), make(chan os.Signal, 1)
	for {
		select {
		case e := <-ended:
			show.rest()
			return e.rec, e.err
		case <-tick.C:
			show.more()
		case <-first:
			first = nil
			signal.Notify(again, os.Interrupt, syscall.SIGTERM)
			defer signal.Stop(again)
			show.talk("asking the bot to stop; once more kills it")
			if err := f.askToCancel(runs, id, ""); err != nil {
				return run.Record{}, err
			}
		case <-again:
			show.talk("killing the bot")
			go supervise.Kill(calm, runs, id) // its success shows in the record
		}
	}
}

type endedRun struct {
	rec run.Record
	err error
}

func awaitRun(ctx context.Context, runs *run.Dir, id string) <-chan endedRun {
	ended := make(chan endedRun, 1)
	go func() {
		rec, err := supervise.Await(ctx, runs, id)
		ended <- endedRun{rec, err}
	}()
	return ended
}

func (f *Factory) askToCancel(runs *run.Dir, id, note string) error {
	return supervise.RequestStop(runs, id, run.Intent{Verb: run.VerbCancel, By: f.Actor(), At: f.Now().UTC(), Note: note})
}

// printVerdict turns how a run ended into the result and the exit code.
func (f *Factory) printVerdict(runs *run.Dir, rec run.Record) error {
	if f.Global.JSON {
		if err := f.printRecord(runs, rec); err != nil {
			return err
		}
	}
	code := verdictCode(rec.Status)
	line := fmt.Sprintf("run %s %s", run.Short(rec.ID), statusWords(rec))
	if code == ExitOK {
		f.Talk("%s", line)
		return nil
	}
	if rec.Error != "" {
		line += ": " + rec.Error
	}
	return &ExitError{Code: code, Err: fmt.Errorf("%s", line), Hint: "see `iterion runs show " + run.Short(rec.ID) + "`"}
}

func verdictCode(s run.Status) int {
	switch {
	case s == run.Finished:
		return ExitOK
	case s == run.Cancelled:
		return ExitRunCancelled
	case s.Paused():
		return ExitRunPaused
	case s.Final():
		return ExitRunFailed
	}
	return ExitFailed
}

// statusWords is a status and how long it took to get there.
func statusWords(rec run.Record) string {
	s := string(rec.Status)
	if rec.FailureCode != "" {
		s += " (" + rec.FailureCode + ")"
	}
	if rec.Status.Final() && !rec.StartedAt.IsZero() {
		s += " after " + short(rec.FinishedAt.Sub(rec.StartedAt))
	}
	return s
}

// short rounds a duration to what a reader cares for.
func short(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

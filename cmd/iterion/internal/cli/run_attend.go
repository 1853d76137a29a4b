package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"iterion/bots/supervise"
	"iterion/native/run"
)

// lookEvery is how often an attended run is looked at for new output.
const lookEvery = 40 * time.Millisecond

// seeOut watches a run to its end and exits with its verdict.
func (f *Factory) seeOut(ctx context.Context, runs *run.Dir, id string, o goOnOptions) error {
	rec, err := f.attend(ctx, runs, id, o)
	if err != nil {
		return err
	}
	return f.printVerdict(runs, rec)
}

// attend shows a run until it ends or pauses, and returns its record. What its bot
// asks meanwhile is asked on the terminal, and the run goes on.
func (f *Factory) attend(ctx context.Context, runs *run.Dir, id string, o goOnOptions) (run.Record, error) {
	show := newShow(f, runs, id)
	defer show.close()
	show.log.at = o.from
	for {
		rec, err := f.watch(ctx, show)
		if err != nil || rec.Status != run.PausedHuman || ctx.Err() != nil || !f.canAsk() {
			return rec, err
		}
		goesOn, err := f.answerHere(ctx, runs, rec, o)
		if err != nil || !goesOn {
			return rec, err
		}
	}
}

// watch shows a run until it ends or pauses. The user's first interrupt cancels
// the run, the second kills its processes.
func (f *Factory) watch(ctx context.Context, show *show) (run.Record, error) {
	calm, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	ended := awaitRun(calm, show.runs, show.id)
	defer show.rest()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	first, again := ctx.Done(), make(chan os.Signal, 1)
	for {
		select {
		case e := <-ended:
			return e.rec, e.err
		case now := <-tick.C:
			show.more(now)
		case <-first:
			first = nil
			signal.Notify(again, os.Interrupt, syscall.SIGTERM)
			defer signal.Stop(again)
			show.talk("asking the bot to stop; once more kills it")
			if err := f.askToCancel(show.runs, show.id, ""); err != nil {
				return run.Record{}, err
			}
		case <-again:
			show.talk("killing the bot")
			go supervise.Kill(calm, show.runs, show.id) // its success shows in the record
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

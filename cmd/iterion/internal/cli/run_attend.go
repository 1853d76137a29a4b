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

// attend shows a run until it ends or pauses, and returns its record. The user's
// first interrupt cancels the run, the second kills its processes.
func (f *Factory) attend(ctx context.Context, runs *run.Dir, id string) (run.Record, error) {
	show := newShow(f, runs, id)
	defer show.close()
	return f.watch(ctx, show)
}

// watch shows a run until it ends or pauses.
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

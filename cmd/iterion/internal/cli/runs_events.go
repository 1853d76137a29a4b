package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"iterion/native/run"
)

func newRunsEvents(f *Factory) *cobra.Command {
	var follow bool
	c := &cobra.Command{
		Use: "events RUN", Short: "Print what happened to a run, oldest first", Args: exactly("RUN"),
		Long: "Print what happened to a run, oldest first. --json prints one array; with --follow it prints\n" +
			"one object a line. Following ends when the run has ended; a paused run may go on.",
		ValidArgsFunction: f.completeRuns,
		RunE:              func(c *cobra.Command, args []string) error { return runRunsEvents(c.Context(), f, follow, args[0]) },
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what happens next until the run ends")
	return c
}

func runRunsEvents(ctx context.Context, f *Factory, follow bool, ref string) error {
	runs, id, err := f.findRun(ref)
	if err != nil {
		return err
	}
	if follow {
		return followRunEvents(ctx, f, runs, id)
	}
	events, err := runs.Events(id, -1)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.PrintJSON(nonNil(events))
	}
	return printRunEvents(f, events)
}

// followEvery is how often a followed run is looked at.
const followEvery = 100 * time.Millisecond

// followRunEvents reads the record before the events: what a final record stands
// for was written by then, but for the event of the outcome itself, which comes
// while the run's lock is held.
func followRunEvents(ctx context.Context, f *Factory, runs *run.Dir, id string) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for log := (eventTail{runs: runs, id: id, seen: -1}); ; {
		ended, err := endedWithin(runs, id)
		if err != nil {
			return err
		}
		events, err := log.more()
		if err != nil {
			return err
		}
		if err := printRunEvents(f, events); err != nil {
			return err
		}
		if ended {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// eventTail is a place in the events of a run. The log of a run of days is long:
// it is read when it has grown, and not at each look.
type eventTail struct {
	runs *run.Dir
	id   string
	seen int64 // seq
	size int64 // of the file
}

func (t *eventTail) more() ([]run.Event, error) {
	info, err := os.Stat(filepath.Join(t.runs.Path(t.id), run.EventsFile))
	if err != nil || info.Size() == t.size {
		return nil, nil // the record tells a run that is gone
	}
	events, err := t.runs.Events(t.id, t.seen)
	if len(events) > 0 {
		t.seen = events[len(events)-1].Seq
	}
	t.size = info.Size()
	return events, err
}

// endedWithin reports whether nothing will happen to a run by itself any more. One
// that lost its supervisor counts: whoever settles it is somebody else.
func endedWithin(runs *run.Dir, id string) (bool, error) {
	rec, err := runs.Get(id)
	if err != nil || rec.Status.Paused() {
		return false, err
	}
	held, err := runs.Locked(id)
	return !held && err == nil, nil
}

func printRunEvents(f *Factory, events []run.Event) error {
	for _, e := range events {
		if !f.Global.JSON {
			f.Say("%s", runEventLine(e))
			continue
		}
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode event %d: %w", e.Seq, err)
		}
		fmt.Fprintf(f.IO.Out, "%s\n", line)
	}
	return nil
}

package trigger

import (
	"context"
	"fmt"
	"slices"

	"iterion/native/run"
)

// Runs is what the spine needs of the runs of a store.
type Runs interface {
	Get(id string) (run.Record, error)
	List(run.Query) (run.Listing, error)
}

// TellOutcomes puts into the inbox what became of runs and is not there yet, the
// oldest first, and returns how much that was. Of an inbox that was never used, what
// the runs came to before is noted and not told. A run whose record cannot be read
// keeps no other one back; it is told once it can be.
func TellOutcomes(ctx context.Context, box Inbox, runs Runs) (int, error) {
	told, begun, err := box.Told(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the inbox: %w", err)
	}
	all, err := runs.List(run.Query{})
	if err != nil {
		return 0, err
	}
	if !begun {
		return 0, box.Baseline(ctx, outcomes(all.Records))
	}
	var fresh []Event
	for _, rec := range slices.Backward(all.Records) {
		if id := OutcomeID(rec); id == "" || told[rec.ID] == id {
			continue
		}
		if e, ok := FromRun(rec); ok {
			fresh = append(fresh, e)
		}
	}
	if len(fresh) == 0 {
		return 0, nil
	}
	slices.SortStableFunc(fresh, func(a, b Event) int { return a.OccurredAt.Compare(b.OccurredAt) })
	return box.Put(ctx, fresh...)
}

// outcomes returns the id of the outcome that each run stands at.
func outcomes(recs []run.Record) map[string]string {
	out := map[string]string{}
	for _, rec := range recs {
		if id := OutcomeID(rec); id != "" {
			out[rec.ID] = id
		}
	}
	return out
}

package dispatch

import (
	"context"
	"fmt"

	"iterion/native/board"
	"iterion/native/run"
)

// A card can lose its claim, to a person's force or to a watchdog, in the very
// instant in which its holder launches the run. Then no run is to be found yet and
// the card is free, but the holder has noted the run in the journal, before its last
// fenced write. So whoever reads first the card, unclaimed, and then the journal
// finds the entry, until its owner has dropped it: and that happens only once the
// run has ended or will never be made. An owner that finds its claim gone after the
// launch stops the run at once.

// elsewhere returns the entry of another daemon that may be starting a run of the
// card, although the card's claim is not that daemon's any more.
func elsewhere(ctx context.Context, o Options, is board.Issue) (*JournalEntry, error) {
	entries, err := o.Journal.Entries(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the claim journal: %w", err)
	}
	for _, e := range entries {
		theirs := e.IssueID == is.ID && e.Owner != o.Owner && e.Marker != is.Claim
		if theirs && e.Phase == PhaseLaunching && e.RunID != "" && !over(ctx, o.Runs, e.RunID) {
			return &e, nil
		}
	}
	return nil, nil
}

// over reports whether a run has ended for good. One that failed and can go on may
// be going on this moment.
func over(ctx context.Context, runs Runs, id string) bool {
	v, err := runs.Inspect(ctx, id)
	return err == nil && v.Record.Status.Final() && v.Record.Status != run.FailedResumable
}

// startingElsewhere says who may be starting a run of the card.
func startingElsewhere(e JournalEntry) string {
	return fmt.Sprintf("run %s of this card is being started by the daemon of workspace root %s, which has lost the claim",
		e.RunID, e.WorkspaceRoot)
}

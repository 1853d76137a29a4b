package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

// withCardOf starts a card's run while the card is claimed, so that no dispatcher
// starts another one in the same instant. A run whose card is gone goes on alone.
func (f *Factory) withCardOf(ctx context.Context, runs *run.Dir, rec run.Record, start func() error) error {
	issue := rec.Source.IssueID
	if issue == "" {
		return start()
	}
	b, err := f.Board()
	if err != nil {
		return err
	}
	marker := fmt.Sprintf("resume:%s:%s", f.Actor(), run.Short(rec.ID))
	is, err := b.Claim(ctx, issue, marker, launchLease, f.Cause())
	var claimed *board.ClaimedError
	switch {
	case errors.Is(err, board.ErrNotFound):
		return start()
	case errors.As(err, &claimed):
		return f.underOldClaim(rec, claimed, start)
	case err != nil:
		return err
	}
	err = noOtherRun(runs, rec)
	if err == nil {
		err = start()
	}
	// Given back also when the user interrupts meanwhile.
	if _, rerr := b.Release(context.WithoutCancel(ctx), is.ID, is.Fence(), f.Cause()); rerr != nil {
		err = errors.Join(err, fmt.Errorf("release issue %s: %w", board.ShortID(is.ID), rerr))
	}
	return err
}

// noOtherRun refuses while another run of the card has not ended.
func noOtherRun(runs *run.Dir, rec run.Record) error {
	found, err := runs.List(run.Query{IssueID: rec.Source.IssueID})
	if err != nil {
		return err
	}
	for _, other := range found.Records {
		if other.ID != rec.ID && !other.Status.Final() {
			return &ExitError{Code: ExitConflict, Hint: "`iterion runs cancel " + run.Short(other.ID) + "` ends that one",
				Err: fmt.Errorf("issue %s has another run: %s is %s",
					board.ShortID(rec.Source.IssueID), run.Short(other.ID), other.Status)}
		}
	}
	return nil
}

// underOldClaim starts a run whose card a daemon has parked for that very run and
// that is gone now. Its claim goes on to keep others away, and the next daemon takes
// up the claim and the run together. Two who resume meet at the run's lock.
func (f *Factory) underOldClaim(rec run.Record, claimed *board.ClaimedError, start func() error) error {
	l, err := f.Layout()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(l.Claims())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(claimed, err)
	}
	var books []dispatch.JournalEntry
	if json.Unmarshal(data, &books) == nil {
		for _, e := range books {
			if e.IssueID == rec.Source.IssueID && e.RunID == rec.ID && e.Marker == claimed.Issue.Claim {
				return start()
			}
		}
	}
	return &ExitError{Code: ExitConflict, Err: claimed, Hint: "`iterion issue show " + board.ShortID(rec.Source.IssueID) + "` tells until when"}
}

package daemon

import (
	"context"
	"errors"
	"log/slog"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native"
)

// Verdicts is the dispatch guard table as it stands for one card.
type Verdicts struct {
	IssueID string             `json:"issue_id"`
	Rows    []dispatch.Verdict `json:"verdicts"`
	// Offline: no daemon is running, so the table says what one would find that
	// started now. What only a running one knows (its slots) counts as free.
	Offline bool `json:"offline,omitempty"`
}

// Why returns every row of the dispatch guard table for a card: as the running
// daemon sees it, or from the files when none runs. It changes nothing.
func Why(ctx context.Context, o Options, ref string) (Verdicts, error) {
	client, err := control.Dial(o.Layout)
	if errors.Is(err, control.ErrNoDaemon) {
		return whyOffline(ctx, o, ref)
	}
	if err != nil {
		return Verdicts{}, err
	}
	defer client.Close()
	is, err := client.Issue(ctx, ref)
	if err != nil {
		return Verdicts{}, err
	}
	rows, err := client.Why(ctx, is.ID)
	return Verdicts{IssueID: is.ID, Rows: rows}, err
}

func whyOffline(ctx context.Context, o Options, ref string) (Verdicts, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d, err := New(o)
	if err != nil {
		return Verdicts{}, err
	}
	if d.store, err = native.Open(o.Layout, native.Options{NoFsync: o.NoFsync, Log: o.Log}); err != nil {
		return Verdicts{}, err
	}
	defer d.store.Close()
	id, err := d.store.Resolve(ctx, ref)
	if err != nil {
		return Verdicts{}, err
	}
	d.openRuns()
	ports := d.ports()
	gate := d.newGate()
	gate.check()
	ports.Intent = gate
	rows, err := dispatch.Explain(ctx, ports, id)
	return Verdicts{IssueID: id, Rows: rows, Offline: true}, err
}

package daemon

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native"
	"iterion/sched/resident"
)

// Verdicts is the dispatch guard table as it stands for one card, and what the
// watchdog says of its claim.
type Verdicts struct {
	IssueID string             `json:"issue_id"`
	Rows    []dispatch.Verdict `json:"verdicts"`
	// Offline: no daemon is running, so the table says what one would find that
	// started now.
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
	out := Verdicts{Offline: true}
	err := withFiles(o, func(d *Daemon, ports dispatch.Options) (err error) {
		if out.IssueID, err = d.store.Resolve(ctx, ref); err != nil {
			return err
		}
		if out.Rows, err = dispatch.Explain(ctx, ports, out.IssueID); err != nil {
			return err
		}
		out.Rows, err = watchdogVerdict(ctx, d.newWatchdog(ports), d.store, out.IssueID, out.Rows)
		return err
	})
	return out, err
}

// OfflineStatus is what files tell of a store without a running daemon. It changes
// nothing.
func OfflineStatus(ctx context.Context, o Options) (control.Status, error) {
	st := control.Status{Offline: true, StoreDir: o.Layout.Root, ConfigPath: o.ConfigPath}
	err := withFiles(o, func(d *Daemon, ports dispatch.Options) (err error) {
		st.WorkspaceRoot, st.Trusted = d.cfg.Workspace.Root, d.gate.open.Load()
		st.Clocks, st.Triggers = d.offlineClocks(), d.offlineTriggers(ctx)
		if st.Dispatch, err = dispatch.Look(ctx, ports); err == nil {
			st.Dispatch = d.withRecords(st.Dispatch)
		}
		return err
	})
	return st, err
}

// offlineClocks is what files tell of the store's clocks.
func (d *Daemon) offlineClocks() *resident.Health {
	rows, h, err := d.readClocks()
	if err != nil {
		return &resident.Health{Problems: []string{err.Error()}}
	}
	if len(rows) == 0 && len(h.Problems) == 0 {
		return nil
	}
	return &h
}

func (d *Daemon) readClocks() ([]resident.Row, resident.Health, error) {
	calendar, err := resident.Read(d.o.Layout.ScheduleIntents())
	if err != nil {
		return nil, resident.Health{}, err
	}
	in, _, err := clockRows(TriggerOptions(d.o.Layout, d.bots))
	if err != nil {
		return nil, resident.Health{}, err
	}
	rows, h := resident.Offline(calendar, in, time.Local, time.Now().Round(0))
	return rows, h, nil
}

// Schedules returns the clocks of a store: from the running daemon, or from the files
// when none runs; offline says which.
func Schedules(ctx context.Context, o Options) (rows []resident.Row, offline bool, err error) {
	client, err := control.Dial(o.Layout)
	if err == nil {
		defer client.Close()
		rows, err = client.Schedules(ctx)
		return rows, false, err
	}
	if !errors.Is(err, control.ErrNoDaemon) {
		return nil, false, err
	}
	err = withFiles(o, func(d *Daemon, _ dispatch.Options) (err error) {
		rows, _, err = d.readClocks()
		return err
	})
	return rows, true, err
}

// withFiles opens a store's files for a look without a daemon.
func withFiles(o Options, look func(*Daemon, dispatch.Options) error) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d, err := New(o)
	if err != nil {
		return err
	}
	if d.store, err = native.Open(o.Layout, native.Options{NoFsync: o.NoFsync, Log: o.Log}); err != nil {
		return err
	}
	defer d.store.Close()
	d.openRuns()
	d.runsPort.reigns = func() bool { return true } // as one would that started now
	ports := d.ports()
	d.gate = d.newGate()
	d.gate.check()
	ports.Intent = d.gate
	return look(d, ports)
}

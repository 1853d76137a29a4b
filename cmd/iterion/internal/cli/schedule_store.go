package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"iterion/bots"
	"iterion/daemon"
	"iterion/daemon/dispatch"
	"iterion/native"
	"iterion/native/run"
	"iterion/sched/hostcron"
	"iterion/sched/localrun"
)

// place is the store that a schedule is about, and the folder that it runs in.
type place struct {
	f, from *Factory // of that store, and of the command
	layout  native.Layout
	workdir string
}

// placeOf finds the store of a schedule: the one that it names, else the one around
// its working folder, else the one of this command.
func (f *Factory) placeOf(s hostcron.Schedule) (place, error) {
	home, err := f.Home()
	if err != nil {
		return place{}, err
	}
	dir, workdir := belowHome(s.StoreDir, home), belowHome(s.Workdir, home)
	var l native.Layout
	switch {
	case dir != "":
		l, err = native.Find(dir, "", "")
	case workdir != "":
		l, err = native.Find("", "", workdir)
	default:
		l, err = f.Layout()
	}
	if err != nil {
		return place{}, err
	}
	p := place{f: f.inStore(l), from: f, layout: l, workdir: workdir}
	if p.workdir == "" {
		if p.workdir, err = p.f.workRoot(); err != nil {
			return place{}, err
		}
	}
	return p, nil
}

// inStore returns a factory for the store of l, whatever the command line named.
func (f *Factory) inStore(l native.Layout) *Factory {
	in := *f
	in.Global.StoreDir, in.store, in.closers = l.Root, nil, nil
	return &in
}

// belowHome makes a path that begins with ~/ absolute.
func belowHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// host starts and ends the runs of the store.
func (p place) host() (*localrun.Host, error) {
	runs, err := p.f.Runs()
	if err != nil {
		return nil, err
	}
	reg, err := p.f.Bots()
	if err != nil {
		return nil, err
	}
	return &localrun.Host{
		Runs: runs, StoreDir: p.layout.Root, NoFsync: p.f.Global.NoFsync,
		Bots: func() *bots.Registry { return reg },
		Cap:  func(ctx context.Context) error { return p.mayLaunch(ctx) },
		Log:  p.f.Log(),
	}, nil
}

// mayLaunch says why nothing of the store may start now, and how that is lifted.
func (p place) mayLaunch(ctx context.Context) error {
	for _, check := range []func(context.Context) error{p.checkTrust, p.checkPause, p.checkCap} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p place) checkTrust(context.Context) error {
	ok, err := p.f.trusted(p.layout)
	if err == nil && !ok {
		err = fmt.Errorf("the store %s was never trusted on this host; look at its cards and bots, then %s", p.layout.Root, p.command("trust"))
	}
	return err
}

func (p place) checkPause(ctx context.Context) error {
	want, err := daemon.ReadIntent(ctx, p.layout)
	if err != nil || want.Desired != dispatch.DesiredPaused {
		return err
	}
	why := ""
	if want.Reason != "" {
		why = ": " + want.Reason
	}
	return fmt.Errorf("the store is paused since %s by %s%s; %s lifts it, with a daemon running", instant(want.At), want.By, why, p.command("daemon unpause"))
}

func (p place) checkCap(context.Context) error {
	ledger, err := p.f.Ledger()
	if err != nil {
		return err
	}
	return ledger.Gate(p.f.Now())
}

// runsOf opens the runs of a store that is named by its folder.
func (f *Factory) runsOf(storeDir string) *run.Dir {
	return run.Open(native.Layout{Root: storeDir}.Runs(), run.Options{NoFsync: f.Global.NoFsync})
}

// runKnown tells whether a store has a run. A store that cannot be looked at is an
// error: whether the run exists is not known then.
func (f *Factory) runKnown(_ context.Context, storeDir, id string) (bool, error) {
	if _, err := os.Stat(storeDir); err != nil {
		return false, fmt.Errorf("look for run %s: %w", id, err)
	}
	_, err := os.Stat(f.runsOf(storeDir).Path(id))
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}

// quoted makes a path one word of a shell.
func quoted(path string) string {
	if path != "" && !strings.ContainsFunc(path, func(r rune) bool {
		return !strings.ContainsRune("/._-+,:@%=~", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

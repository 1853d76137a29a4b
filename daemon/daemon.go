package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"iterion/bots"
	"iterion/bots/supervise"
	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/daemon/watchdog"
	"iterion/daemon/workspace"
	"iterion/native"
	"iterion/native/atomicfile"
	"iterion/native/board"
	"iterion/native/filelock"
	"iterion/native/run"
	"iterion/native/spend"
	"iterion/sched/audit"
	"iterion/sched/localrun"
	"iterion/sched/resident"
)

// Options of a daemon.
type Options struct {
	Layout     native.Layout
	ConfigPath string // empty: the preset
	Cwd        string // relative bot paths start here
	Home       string // holds the list of trusted stores
	Version    string
	Exe        string // the binary to start as supervisor; empty: the running one
	NoFsync    bool
	Listen     string        // address for health and metrics, before the config's; empty: the config's
	Lease      time.Duration // of a claim; 0: the dispatcher's own
	UntilIdle  bool          // Run returns once there is nothing left to do
	Log        *slog.Logger  // nil: silent
	Fault      func(point string)
}

// Daemon dispatches the cards of one store. See the package comment.
type Daemon struct {
	o   Options
	cfg Config
	log *slog.Logger

	// What Run opens.
	started   time.Time
	stop      context.CancelFunc
	singleton atomic.Bool
	owner     *owner
	store     *native.Store
	runs      *run.Dir
	bots      *bots.Registry
	runsPort  *runsPort
	gate      *trustGate
	disp      *dispatch.Dispatcher
	feed      *control.Feed
	sight     *sight
	config    configState
	folders   *workspace.Manager
	watchdog  *watchdog.Watchdog // of the owner of the singletons
	host      *localrun.Host
	audit     *audit.Log
	clocks    *resident.Scheduler // of the owner of the singletons
	web       *web
}

// New reads the config. What is wrong with it is a *ConfigError.
func New(o Options) (*Daemon, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	cfg, err := LoadConfig(o.ConfigPath, o.Cwd, o.Layout.Workspaces())
	if err != nil {
		return nil, err
	}
	return &Daemon{o: o, cfg: cfg, log: o.Log, feed: control.NewFeed()}, nil
}

// Run dispatches until ctx ends, a client asks for the end, or, with UntilIdle,
// there is nothing left to do; with cards left that a pause keeps waiting the end
// is a *PausedError. Bots that still run then carry on under their supervisors. It returns a *LockedError when another daemon has the workspace
// root. A Daemon runs once.
func (d *Daemon) Run(ctx context.Context) (err error) {
	root, err := lockRoot(d.cfg.Workspace.Root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Release()) }()
	d.started = time.Now().UTC()
	if d.store, err = native.Open(d.o.Layout, native.Options{NoFsync: d.o.NoFsync, Log: d.log}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.store.Close()) }()
	if err := d.takeOwner(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.owner.release()) }()
	single, err := d.takeSingleton()
	if err != nil {
		return err
	}
	if single != nil {
		defer func() { err = errors.Join(err, single.Release()) }()
	}
	return d.serve(ctx)
}

func (d *Daemon) takeOwner(ctx context.Context) error {
	return d.store.Exclusive(ctx, func() (err error) {
		d.owner, err = takeOwner(d.o.Layout.Owners())
		return err
	})
}

// takeSingleton makes this daemon the one that owns the store's singletons,
// unless another one is.
func (d *Daemon) takeSingleton() (*filelock.Lock, error) {
	lock, err := takeLock(d.o.Layout.DaemonLock())
	var held *filelock.HeldError
	if errors.As(err, &held) {
		d.log.Info("another daemon owns the store's singletons, this one only dispatches",
			"pid", held.Holder.PID, "host", held.Holder.Host)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("take daemon lock: %w", err)
	}
	d.singleton.Store(true)
	return lock, nil
}

// serve builds the parts and runs them to their end.
func (d *Daemon) serve(ctx context.Context) error {
	if err := d.build(); err != nil {
		return err
	}
	ln, err := control.Listen(d.place())
	if err != nil {
		return err
	}
	if d.web, err = d.openWeb(); err != nil {
		return errors.Join(err, ln.Close())
	}
	ctx, d.stop = context.WithCancel(ctx)
	defer d.stop()
	d.log.Info("daemon started", "pid", os.Getpid(), "store", d.o.Layout.Root,
		"workspace_root", d.cfg.Workspace.Root, "trusted", d.gate.open.Load(), "singleton", d.singleton.Load())
	err = d.runParts(ctx, ln)
	d.log.Info("daemon stopped", "running_bots", len(d.disp.Snapshot().Running))
	return err
}

func (d *Daemon) runParts(ctx context.Context, ln net.Listener) error {
	parts, ctx := errgroup.WithContext(ctx)
	parts.Go(func() error { return control.Serve(ctx, ln, service{d}, d.log) })
	parts.Go(func() error { return d.disp.Run(ctx) })
	parts.Go(func() error { return d.gate.Run(ctx, d.disp, d.sight.poke) })
	parts.Go(func() error { return d.sight.Run(ctx) })
	parts.Go(func() error { return d.watchConfig(ctx) })
	parts.Go(func() error { return d.succeed(ctx) })
	parts.Go(func() error { return d.sweep(ctx) })
	parts.Go(func() error { return d.tick(ctx) })
	parts.Go(func() error { return d.web.Run(ctx) })
	if d.o.UntilIdle {
		parts.Go(func() error { return d.untilIdle(ctx) })
	}
	if err := parts.Wait(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// place is where the control socket lies.
func (d *Daemon) place() control.Place {
	if d.singleton.Load() {
		return control.PlaceOf(d.o.Layout)
	}
	return control.PlaceIn(d.cfg.Workspace.Root)
}

func (d *Daemon) build() error {
	d.openRuns()
	if err := d.openFolders(d.owner.id); err != nil {
		return err
	}
	if err := d.keepConfig(d.cfg); err != nil {
		return err
	}
	for _, dir := range []string{d.o.Layout.Runs(), d.o.Layout.Spend()} { // both are watched
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make a folder of the store: %w", err)
		}
	}
	d.gate = d.newGate()
	d.gate.check()
	o := d.ports()
	o.Workspaces, o.Intent, o.Owner, o.Fault = d.folders, d.gate, d.owner.id, d.o.Fault
	d.disp = dispatch.New(o)
	d.watchdog = d.newWatchdog(o)
	d.host, d.audit = d.newHost(), d.tickAudit()
	d.clocks = d.newClocks()
	d.sight = newSight(d)
	return nil
}

// openFolders opens the workspaces; the caller holds the root's lock.
func (d *Daemon) openFolders(owner string) (err error) {
	d.folders, err = workspace.Open(workspace.Options{
		Root: d.cfg.Workspace.Root, Persist: d.cfg.Workspace.Persist, Owner: owner,
		Live: d.runs.Locked, Log: d.log, Env: supervise.AllowedEnv(os.Environ()), Hooks: d.cfg.Hooks.workspace(),
	})
	return err
}

func (d *Daemon) openRuns() {
	d.runs = run.Open(d.o.Layout.Runs(), run.Options{NoFsync: d.o.NoFsync})
	d.bots = bots.NewRegistry(d.cfg.Bots.Paths)
	d.runsPort = &runsPort{
		launcher: &supervise.Launcher{Runs: d.runs, StoreDir: d.o.Layout.Root, Exe: d.o.Exe, NoFsync: d.o.NoFsync, Log: d.log},
		dir:      d.runs,
		bots:     d.bots,
		log:      d.store,
		reigns:   d.singleton.Load,
	}
}

// ports joins the dispatcher to the store's files.
func (d *Daemon) ports() dispatch.Options {
	l, config := d.o.Layout, d.cfg.dispatch()
	config.Lease = d.o.Lease
	return dispatch.Options{
		Board: d.store, Runs: d.runsPort, Bots: botsPort{d.bots}, Config: config, Log: d.log,
		Spend: spendPort{spend.Open(l.Root, spend.Options{NoFsync: d.o.NoFsync})},
		Journal: &journal{path: l.Claims(), store: d.store, o: d.atomic(true),
			alive: func(owner string) (bool, error) { return ownerAlive(l.Owners(), owner) }},
		Ledger: &ledger{path: l.Retries(), store: d.store, o: d.atomic(true)},
		Intent: &intentFile{path: l.Runtime(), store: d.store, o: d.atomic(true)},
	}
}

func (d *Daemon) newGate() *trustGate {
	return &trustGate{
		Intent:   &intentFile{path: d.o.Layout.Runtime(), store: d.store, o: d.atomic(true)},
		look:     func() (bool, error) { return native.Trusted(d.o.Home, d.o.Layout) },
		storeDir: d.o.Layout.Root, log: d.log,
	}
}

// atomic returns how whole files are written. Under the writer lock the staging
// folder takes what a kill leaves half done.
func (d *Daemon) atomic(locked bool) atomicfile.Options {
	o := atomicfile.Options{NoFsync: d.o.NoFsync}
	if locked {
		o.TempDir = d.o.Layout.Staging()
	}
	return o
}

// PausedError says that a daemon which should work until nothing is left found
// dispatch paused and cards waiting. It is a rejected transition: the command is
// right, the store's state is not.
type PausedError struct {
	Waiting  int // cards
	Launches int // that triggers owe
	Reason   string
}

func (e *PausedError) Error() string {
	if e.Launches > 0 {
		return fmt.Sprintf("%s; cards waiting: %d, launches that triggers owe: %d", e.Reason, e.Waiting, e.Launches)
	}
	return fmt.Sprintf("%s; cards waiting: %d", e.Reason, e.Waiting)
}

// Unwrap makes every PausedError a board.ErrTransitionRejected.
func (e *PausedError) Unwrap() error { return board.ErrTransitionRejected }

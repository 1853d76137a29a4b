package supervise

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"iterion/bots"
	"iterion/bots/manifest"
	"iterion/native/filelock"
	"iterion/native/run"
)

// Command is the first argument that makes iterion a supervisor.
const Command = "supervise"

// DefaultGrace is how long a tree has between TERM and KILL.
const DefaultGrace = 10 * time.Second

// supervisorLog catches what a supervisor says when it has no other place left,
// such as a panic. It is removed at a clean end.
const supervisorLog = "supervisor.log"

// Launcher starts runs of one store.
type Launcher struct {
	Runs     *run.Dir
	StoreDir string
	Exe      string        // the binary to start as supervisor; empty: the running one
	NoFsync  bool          // passed on to the supervisor
	Grace    time.Duration // 0: DefaultGrace
	Log      *slog.Logger  // nil: silent

	linger time.Duration // 0: DefaultLinger
	onStep func(string)  // tests are told how far a launch has come
}

func (l *Launcher) step(name string) {
	if l.onStep != nil {
		l.onStep(name)
	}
}

// Spec is one run to start.
type Spec struct {
	RunID   string // from run.NewID, fixed by the caller so that a repeat does no harm
	Name    string
	Bot     bots.Bot
	Source  run.Source
	Attempt int    // from 1
	Workdir string // empty: the run's own folder
	// Inputs are the bot's vars, resolved.
	Inputs map[string]string
	// Env holds ITERION_* variables that only the caller knows, such as those of
	// the card.
	Env     map[string]string
	Timeout time.Duration // 0: the manifest's
	// Stall is how long the bot may say nothing; 0: the manifest's, and for ever if
	// that does not say; less: for ever whatever that says.
	Stall time.Duration
	// OverCap lets the run go on past the day's spending cap.
	OverCap    bool
	ChainDepth int    // launches by outcome that led to this one
	By         string // person or program that starts it; empty: not said
	// Retry is kept with the run for whoever goes on with it, see PlannedRetry.
	Retry manifest.Retry
}

// Process is the supervisor of a run, started by this process.
type Process struct {
	RunID string
	PID   int // 0 when the run failed before there was a supervisor
	done  chan struct{}
}

// Done is closed when the supervisor has exited; the run's record is final then,
// unless the supervisor was killed.
func (p *Process) Done() <-chan struct{} { return p.done }

// Start makes the run and starts its supervisor. A bot that cannot be started is a
// run that failed, with code LAUNCH_FAILED; a supervisor that cannot is one with
// code SUPERVISOR_LOST. An error means that no run of that id exists because of it
// (run.ErrExists when there was one before), or that not even its failure could be
// written, which is then for Recover to do.
//
// Until the supervisor exits a goroutine waits to reap it.
func (l *Launcher) Start(ctx context.Context, s Spec) (*Process, error) {
	rec := l.draft(s)
	files, err := l.files(s, rec)
	if err != nil {
		return nil, fmt.Errorf("launch %s: %w", s.Bot.Slug(), err)
	}
	lock, err := l.Runs.Create(ctx, rec, files)
	if err != nil {
		return nil, fmt.Errorf("launch %s: %w", s.Bot.Slug(), err)
	}
	proc, err := l.supervise(s, lock)
	if err == nil {
		return proc, nil
	}
	o := run.Outcome{Status: run.Failed, Code: run.CodeSupervisorLost, Error: err.Error()}
	var unfit *launchError
	if errors.As(err, &unfit) {
		o.Code = run.CodeLaunchFailed
	}
	return l.refuse(rec, lock, o)
}

func (l *Launcher) draft(s Spec) run.Record {
	rec := run.Record{
		ID: s.RunID, Name: s.Name, Bot: s.Bot.Slug(), BotVersion: s.Bot.Manifest.Version,
		BundlePath: l.bundleDir(s), Status: run.Queued, Inputs: noted(s.Inputs), Source: s.Source,
		Attempt: max(1, s.Attempt), Workdir: s.Workdir, ChainDepth: s.ChainDepth, CreatedAt: time.Now().UTC(),
	}
	rec.UpdatedAt = rec.CreatedAt
	if rec.Workdir == "" {
		rec.Workdir = l.runDir(s.RunID)
	}
	return rec
}

// bundleDir is where the bot runs from. An embedded bundle is copied into the
// run's folder.
func (l *Launcher) bundleDir(s Spec) string {
	if s.Bot.Dir != "" {
		return s.Bot.Dir
	}
	return filepath.Join(l.runDir(s.RunID), "bundle", s.Bot.Slug())
}

// runDir is absolute, since the supervisor has another working folder.
func (l *Launcher) runDir(id string) string {
	dir, err := filepath.Abs(l.Runs.Path(id))
	if err != nil { // only when the working folder is gone
		return l.Runs.Path(id)
	}
	return dir
}

func (l *Launcher) files(s Spec, rec run.Record) (map[string][]byte, error) {
	launch, err := json.MarshalIndent(l.plan(s, rec), "", "  ")
	if err != nil {
		return nil, err
	}
	inputs := s.Inputs
	if inputs == nil {
		inputs = map[string]string{}
	}
	vars, err := json.MarshalIndent(inputs, "", "  ")
	return map[string][]byte{planFile: launch, run.VarsFile: vars}, err
}

func (l *Launcher) plan(s Spec, rec run.Record) plan {
	p := newPlan(s.Bot.Manifest, rec.BundlePath)
	p.StoreDir, p.Extra, p.NoFsync, p.OverCap = l.StoreDir, s.Env, l.NoFsync, s.OverCap
	p.Grace, p.Linger = cmp.Or(l.Grace, DefaultGrace), cmp.Or(l.linger, DefaultLinger)
	p.By, p.Retry = s.By, s.Retry
	p.Timeout = cmp.Or(s.Timeout, p.Timeout)
	p.Stall = cmp.Or(s.Stall, p.Stall)
	return p
}

// supervise makes the bundle ready and starts the supervisor of a new run.
func (l *Launcher) supervise(s Spec, lock *filelock.Lock) (*Process, error) {
	if err := s.Bot.Launchable(); err != nil {
		return nil, &launchError{err}
	}
	if _, err := s.Bot.Materialize(filepath.Join(l.runDir(s.RunID), "bundle")); err != nil {
		return nil, err
	}
	return l.spawn(s.RunID, s.Bot.Manifest.Run.PassEnv, lock)
}

// spawn starts the supervisor of a queued run and lets go of the launcher's copy of
// its lock.
func (l *Launcher) spawn(id string, passEnv []string, lock *filelock.Lock) (*Process, error) {
	cmd, err := l.start(id, passEnv, lock)
	if err != nil {
		return nil, fmt.Errorf("start the supervisor: %w", err)
	}
	_ = lock.Detach()
	p := &Process{RunID: id, PID: cmd.Process.Pid, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // what became of the run is in its record
	}()
	l.log().Debug("run started", "run_id", id, "pid", p.PID)
	return p, nil
}

// start starts the supervisor in a session of its own, with the lock as its only
// descriptor besides the standard three.
func (l *Launcher) start(id string, passEnv []string, lock *filelock.Lock) (*exec.Cmd, error) {
	exe := l.Exe
	if exe == "" {
		var err error
		if exe, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	out, err := os.OpenFile(filepath.Join(l.runDir(id), supervisorLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := &exec.Cmd{
		Path: exe, Args: []string{"iterion", Command, l.runDir(id)}, Env: supervisorEnv(os.Environ(), passEnv), Dir: "/",
		Stdout: out, Stderr: out, ExtraFiles: []*os.File{lock.File()},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	return cmd, cmd.Start()
}

// refuse ends a run that could not be started.
func (l *Launcher) refuse(rec run.Record, lock *filelock.Lock, o run.Outcome) (*Process, error) {
	defer lock.Release()
	if err := settle(l.Runs, &rec, o); err != nil {
		return nil, fmt.Errorf("launch %s: %s (and: %w)", rec.Bot, o.Error, err)
	}
	done := make(chan struct{})
	close(done)
	return &Process{RunID: rec.ID, done: done}, nil
}

// settle takes a record to its final status and notes the event. The caller holds
// the run's lock.
func settle(d *run.Dir, rec *run.Record, o run.Outcome) error {
	if err := rec.Become(o, time.Now()); err != nil {
		return err
	}
	if err := d.Save(*rec); err != nil {
		return err
	}
	return d.EnsureOutcome(*rec)
}

// ownVariables begin the names that belong to one run. A run that is started from
// inside another must not pass for part of it.
var ownVariables = []string{
	"ITERION_RUN_", "ITERION_BOT", "ITERION_VAR", "ITERION_ISSUE_", "ITERION_EVENTS=", "ITERION_WORKSPACE=",
	"ITERION_ATTEMPT=", "ITERION_RESUME=", "ITERION_SESSION=", "ITERION_ANSWERS=", "ITERION_CLAIM_EPOCH=",
}

// runtimeVariables tune the Go runtime of the supervisor itself.
var runtimeVariables = []string{"GODEBUG", "GORACE", "GOTRACEBACK", "GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GOCOVERDIR"}

// supervisorEnv is what a supervisor is given: what its bot may have, and what is
// its own. A bot can read the environment of its parent, so the rest of the
// launcher's has no place there.
func supervisorEnv(environ, passEnv []string) []string {
	kept := make([]string, 0, len(environ))
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		ours := strings.HasPrefix(name, "ITERION_") || slices.Contains(runtimeVariables, name)
		ofARun := slices.ContainsFunc(ownVariables, func(own string) bool { return strings.HasPrefix(kv, own) })
		if (ours || allowed(name) || slices.Contains(passEnv, name)) && !ofARun {
			kept = append(kept, kv)
		}
	}
	return kept
}

func (l *Launcher) log() *slog.Logger {
	if l.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l.Log
}

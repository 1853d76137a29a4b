package gate

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"iterion/native/proctree"
)

// What a guard is given.
const (
	// MaxGuardOutput bounds what a guard may print on stdout, in bytes. One that
	// prints more is ended: guard_error.
	MaxGuardOutput = 64 << 20
	// guardGrace is how long a guard that is ended has between TERM and KILL.
	guardGrace = 500 * time.Millisecond
	// guardProof is how long to seek the proof that all of it is gone.
	guardProof = 1500 * time.Millisecond
	// guardMark is the variable by which the processes of one guard are found,
	// wherever they went. A run that a guard starts is not given it.
	guardMark = "_ITERION_GUARD"
	// guardRunMark names the run that a guard was asked about, for EndLeft.
	guardRunMark = "_ITERION_GUARD_RUN"
	// guardPath is where programs are found when the caller names no environment.
	guardPath = "PATH=/usr/local/bin:/usr/bin:/bin"
)

// guardResult is how a guard ended.
type guardResult struct {
	exit     *int   // nil: it had none
	failure  string // why it could not run or was ended; empty: it exited by itself
	err      error  // what lies behind the failure; may be nil
	stdout   []byte
	stderr   []byte // the last of it
	duration time.Duration
}

// runGuard runs the guard of a request and returns once nothing of it is left, at
// the latest three seconds after its time was over.
func runGuard(ctx context.Context, r Request, p Policy) guardResult {
	runtime.LockOSThread() // see attach
	defer runtime.UnlockOSThread()
	began := time.Now()
	g, err := startGuard(r, p)
	if err != nil {
		return guardResult{failure: "the guard could not run", err: err, duration: time.Since(began)}
	}
	res := g.watch(ctx, p.GuardTimeout)
	res.duration = time.Since(began)
	return res
}

// guard is one that runs. It leads a session of its own, and so a process group.
type guard struct {
	cmd      *exec.Cmd
	out, err *capture
	mine     func(proctree.Process) bool
}

func startGuard(r Request, p Policy) (*guard, error) {
	if err := guardWorkdir(r.Workdir); err != nil {
		return nil, err
	}
	g := &guard{}
	mark := rand.Text()
	g.cmd = exec.Command("/bin/sh", "-c", p.Guard)
	g.cmd.Dir = r.Workdir
	g.cmd.Env = append(guardEnv(r), guardMark+"="+mark)
	if r.RunID != "" {
		g.cmd.Env = append(g.cmd.Env, guardRunMark+"="+r.RunID)
	}
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	attach(g.cmd.SysProcAttr)
	var err error
	if g.out, err = newCapture(MaxGuardOutput, false); err != nil {
		return nil, err
	}
	if g.err, err = newCapture(TailMax, true); err != nil {
		g.out.abandon()
		return nil, err
	}
	g.cmd.Stdout, g.cmd.Stderr = g.out.w, g.err.w // stdin is /dev/null
	if err := g.cmd.Start(); err != nil {
		g.out.abandon()
		g.err.abandon()
		return nil, err
	}
	g.out.start()
	g.err.start()
	g.mine = proctree.ByEnviron(guardMark, mark)
	// Not reaped yet, so there is an identity even if it has exited.
	if id, err := proctree.Identify(g.cmd.Process.Pid); err == nil {
		byMark, inSession := g.mine, proctree.BySession(id)
		g.mine = func(p proctree.Process) bool { return inSession(p) || byMark(p) }
	}
	return g, nil
}

func guardWorkdir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		return errors.New("the schedule has no working folder")
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("the working folder %s does not exist", dir)
	case err != nil:
		return fmt.Errorf("the working folder %s cannot be used: %w", dir, err)
	case !info.IsDir():
		return fmt.Errorf("the working folder %s is not a folder", dir)
	}
	return nil
}

func guardEnv(r Request) []string {
	env := slices.Clone(r.Env)
	if env == nil {
		env = []string{guardPath}
	}
	return append(env, "PWD="+r.Workdir, "ITERION_SCHEDULE="+r.ScheduleName, "ITERION_SCHEDULE_BOT="+r.BotID)
}

// watch waits for the guard's end, or ends it, and leaves nothing of it behind. The
// shell's exit decides: what it left in the background is ended with it.
func (g *guard) watch(ctx context.Context, timeout time.Duration) guardResult {
	exited := make(chan error, 1)
	go func() { exited <- g.cmd.Wait() }()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	var res guardResult
	grace := time.Duration(0)
	select {
	case err := <-exited:
		exited <- err
	case <-deadline.C:
		res.failure, grace = "the guard took longer than "+timeout.String(), guardGrace
	case <-g.out.full:
		res.failure = fmt.Sprintf("the guard printed more than %d MiB", MaxGuardOutput>>20)
	case <-ctx.Done():
		res.failure, res.err, grace = "the guard was interrupted before its end", context.Cause(ctx), guardGrace
	}
	if err := g.end(grace); err != nil {
		res.failure, res.err = cmp.Or(res.failure, "the guard left something behind"), errors.Join(res.err, err)
	}
	res.stdout, res.stderr = g.out.rest(), g.err.rest()
	select {
	case err := <-exited:
		if res.failure == "" {
			res.exit, res.failure, res.err = verdictOf(err)
		}
	case <-time.After(drainTime): // it withstands, which end has said
	}
	return res
}

// end ends all that is left of the guard and proves it. When ctx ends the grace is
// kept: it is short.
func (g *guard) end(grace time.Duration) error {
	left := func() ([]proctree.Process, error) { return proctree.Orphans(g.mine, ownRun) }
	return proctree.End(context.Background(), left, proctree.Patience{Grace: grace, Proof: guardProof})
}

// EndLeft ends what is left of the guard that was asked about a run, by a decider that
// was killed before it could. With the decider dies the guard's shell, and not what
// that had started. Where environments cannot be read, as on macOS, nothing is found.
func EndLeft(ctx context.Context, runID string) error {
	if runID == "" {
		return nil
	}
	mine := proctree.ByEnviron(guardRunMark, runID)
	left := func() ([]proctree.Process, error) { return proctree.Orphans(mine, ownRun) }
	return proctree.End(ctx, left, proctree.Patience{Grace: guardGrace, Proof: guardProof})
}

// ownRun sets the supervisor of a run apart that the guard started: it has its own
// lock and its own end. It leads a session and its command line names the run.
func ownRun(p proctree.Process) bool {
	argv, err := proctree.Argv(p.PID)
	if err != nil || p.Session != p.PID || len(argv) != 3 || argv[1] != "supervise" {
		return false
	}
	_, err = os.Stat(filepath.Join(argv[2], "run.json"))
	return err == nil
}

// The exit codes by which a shell says that it could not do what it was told.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// verdictOf reads how the shell ended.
func verdictOf(err error) (exit *int, failure string, cause error) {
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return nil, "the guard's end is not known", err
	}
	code := 0
	if ended != nil {
		if ws, ok := ended.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			return nil, "the guard was ended by signal " + ws.Signal().String(), nil
		}
		code = ended.ExitCode()
	}
	switch code {
	case exitNotExecutable:
		return &code, "the guard could not run: a program in it cannot be executed (exit 126)", nil
	case exitNotFound:
		return &code, "the guard could not run: a program in it is not found (exit 127)", nil
	}
	return &code, "", nil
}

// value is what a launch is given of the guard's output. One line comes without the
// newline at its end, as `$(…)` would give it; anything longer comes as it is.
func (r guardResult) value() string {
	s := string(r.stdout)
	if line, ok := strings.CutSuffix(s, "\n"); ok && !strings.Contains(line, "\n") {
		return line
	}
	return s
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// patience bounds every wait of the stories. It is long because the machine may
// be busy; a story that works never comes near it.
const patience = 60 * time.Second

// A world is one user on one machine: a home, a working folder with a store, and
// the program started as real processes.
type world struct {
	t    testing.TB
	home string
	dir  string
	env  []string // beside the basics
	bin  string   // folder of the program; empty: the test binary plays it
}

// newWorld makes the folders and the store.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := bareWorld(t)
	w.ok("init")
	return w
}

// bareWorld makes the folders only.
func bareWorld(t testing.TB) *world {
	t.Helper()
	top := t.TempDir()
	w := &world{t: t, home: filepath.Join(top, "home"), dir: filepath.Join(top, "work")}
	for _, d := range []string{w.home, w.dir} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(w.endRuns)
	return w
}

// said is what one call of the program left.
type said struct {
	out, err string
	code     int
}

func (w *world) command(args ...string) *exec.Cmd {
	path := os.Getenv("PATH")
	program := "iterion"
	if w.bin != "" {
		path, program = w.bin+":"+path, filepath.Join(w.bin, "iterion")
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = w.dir
	cmd.Env = append([]string{"HOME=" + w.home, "PATH=" + path, "TMPDIR=" + os.TempDir(),
		"USER=tester", "TERM=dumb", "GIT_CONFIG_NOSYSTEM=1", "GORACE=" + raceExit}, w.env...)
	return cmd
}

// run calls the program and waits for it.
func (w *world) run(args ...string) said {
	w.t.Helper()
	cmd := w.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("iterion %s: %v", strings.Join(args, " "), err)
	}
	return said{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// ok calls the program, demands success and returns its result.
func (w *world) ok(args ...string) string {
	w.t.Helper()
	s := w.run(args...)
	if s.code != 0 {
		w.t.Fatalf("iterion %s: exit %d\n%s%s", strings.Join(args, " "), s.code, s.out, s.err)
	}
	return strings.TrimSpace(s.out)
}

// card files a card and returns its id.
func (w *world) card(title, bot string, args ...string) string {
	w.t.Helper()
	return w.ok(append([]string{"-q", "issue", "create", "--title", title, "--bot", bot, "--state", "ready"}, args...)...)
}

// shell files a card that runs a shell command.
func (w *world) shell(title, command string) string {
	w.t.Helper()
	return w.card(title, "shell", "--bot-arg", "command="+command)
}

// issues returns the whole board.
func (w *world) issues() []board.Issue {
	w.t.Helper()
	var all []board.Issue
	decode(w.t, w.ok("issue", "list", "--json"), &all)
	return all
}

func (w *world) issue(id string) board.Issue {
	w.t.Helper()
	var is board.Issue
	decode(w.t, w.ok("issue", "show", id, "--json"), &is)
	return is
}

// runs returns every run of the store.
func (w *world) runs() []run.Record {
	w.t.Helper()
	var all []run.Record
	decode(w.t, w.ok("runs", "list", "--limit", "0", "--json"), &all)
	return all
}

// inState counts the cards of a column.
func (w *world) inState(state string) int {
	n := 0
	for _, is := range w.issues() {
		if is.State == state {
			n++
		}
	}
	return n
}

// settled demands that n cards are in review, unclaimed, each with exactly one
// run, and that there are no other runs.
func (w *world) settled(n int) {
	w.t.Helper()
	w.settledBy(n, w.runs())
}

// settledButLost is settled for a story that kills whoever launches: a run whose
// bot never began, for its launcher died first, does not count.
func (w *world) settledButLost(n int) {
	w.t.Helper()
	w.settledBy(n, slices.DeleteFunc(w.runs(), func(r run.Record) bool { return r.FailureCode == run.CodeSupervisorLost }))
}

func (w *world) settledBy(n int, runs []run.Record) {
	w.t.Helper()
	perIssue := map[string]int{}
	for _, r := range runs {
		perIssue[r.Source.IssueID]++
		if r.Status != run.Finished {
			w.t.Errorf("run %s of %s is %s (%s); it said:\n%s", r.ID, r.Source.IssueID, r.Status, r.Error, w.run("runs", "logs", r.ID).out)
		}
	}
	all := w.issues()
	if len(all) != n {
		w.t.Errorf("%d cards on the board, want %d", len(all), n)
	}
	for _, is := range all {
		if is.State != board.StateReview || is.Claim != "" {
			w.t.Errorf("%q is in %s, claim %q; %s", is.Title, is.State, is.Claim, w.run("why", is.ID).out)
		}
		if perIssue[is.ID] != 1 {
			w.t.Errorf("%q has %d runs, want 1", is.Title, perIssue[is.ID])
		}
	}
}

// A proc is a program that goes on running.
type proc struct {
	w    *world
	cmd  *exec.Cmd
	errs *output
	done chan struct{}
}

// start starts the program in the background.
func (w *world) start(args ...string) *proc {
	w.t.Helper()
	return w.launch(w.command(args...))
}

func (w *world) launch(cmd *exec.Cmd) *proc {
	w.t.Helper()
	p := &proc{w: w, cmd: cmd, errs: new(output), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.errs, p.errs
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	w.t.Cleanup(p.end)
	return p
}

// output is what a process has said so far, for whoever asks while it runs.
type output struct {
	mu   sync.Mutex
	said bytes.Buffer
}

// Write takes what the process says.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.said.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.said.String()
}

// daemon starts a daemon and waits until it answers.
func (w *world) daemon(args ...string) *proc {
	w.t.Helper()
	return w.ready(w.start(append([]string{"daemon"}, args...)...))
}

func (w *world) ready(p *proc) *proc {
	w.t.Helper()
	w.eventually("the daemon is ready", func() bool {
		select {
		case <-p.done:
			w.t.Fatalf("the daemon ended: %s", p.errs)
		default:
		}
		return w.run("daemon", "status").code == 0
	})
	return p
}

// wait waits for the end and returns the exit code.
func (p *proc) wait() int {
	p.w.t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.w.t.Fatalf("%s did not end: %s", p.cmd.Args, p.errs)
		return -1
	}
}

// kill9 kills the process where it stands.
func (p *proc) kill9() {
	_ = p.cmd.Process.Kill()
	p.wait()
}

// term asks the process to end and returns its exit code and how long it took.
func (p *proc) term() (int, time.Duration) {
	began := time.Now()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	return p.wait(), time.Since(began)
}

func (p *proc) end() {
	select {
	case <-p.done:
	default:
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	if p.w.t.Failed() {
		p.w.t.Logf("%s said:\n%s", p.cmd.Args, p.errs)
	}
}

// endRuns ends whatever a story left running: processes that carry its home in
// their environment.
func (w *world) endRuns() {
	for _, pid := range w.processes("HOME=" + w.home) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// processes returns the pids of the live processes with an entry in their
// environment. (Linux only: the stories are.)
func (w *world) processes(entry string) []int {
	var pids []int
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		env, err := os.ReadFile(filepath.Join(d, "environ"))
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+entry+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(d)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// eventually waits until cond holds.
func (w *world) eventually(what string, cond func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for !cond() {
		select {
		case <-ctx.Done():
			w.t.Fatalf("waited %s in vain: %s", patience, what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// lines counts the lines of a file; a missing file has none.
func (w *world) lines(path string) int {
	data, _ := os.ReadFile(path)
	return bytes.Count(data, []byte("\n"))
}

// path is a path in the working folder.
func (w *world) path(elem ...string) string {
	return filepath.Join(append([]string{w.dir}, elem...)...)
}

// git runs git in the working folder.
func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), gitEnv(w.home)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func gitEnv(home string) []string {
	return []string{"HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org"}
}

func decode(t testing.TB, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
}

// Faults are how the stories kill a process at a chosen step. They live in the
// test binary only: ITERION_TEST_FAULT names the step and a file that makes it
// happen once, as "step=path".

// fault kills this process at the step that the environment names, once.
func fault(step string) {
	name, once, ok := strings.Cut(os.Getenv("ITERION_TEST_FAULT"), "=")
	if !ok || name != step {
		return
	}
	f, err := os.OpenFile(once, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	fmt.Fprintln(f, step)
	f.Close()
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// testLease is how long claims last in this process; 0: as always.
func testLease() time.Duration {
	d, _ := time.ParseDuration(os.Getenv("ITERION_TEST_LEASE"))
	return d
}

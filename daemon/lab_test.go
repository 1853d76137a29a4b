package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"iterion/bots/supervise"
	"iterion/daemon/control"
	"iterion/native"
	"iterion/native/board"
	"iterion/native/run"
)

// The test binary is also its own supervisor, a daemon to kill, and a foreign
// process that writes to the board.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case supervise.Command:
			os.Exit(supervise.Main(os.Args[2:]))
		case "test-daemon":
			os.Exit(testDaemon(os.Args[2:]))
		case "test-move":
			os.Exit(testMove(os.Args[2:]))
		}
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("iterion/bots/supervise.(*Launcher).spawn.func1"))
}

// testDaemon runs a daemon and dies of SIGKILL at a fault point, if one is named.
func testDaemon(args []string) int {
	dir, home, fault := args[0], args[1], args[2]
	d, err := New(Options{
		Layout: native.Layout{Root: filepath.Join(dir, native.DirName)}, Cwd: dir, Home: home, NoFsync: true,
		Fault: func(point string) {
			if point == fault {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		},
	})
	if err == nil {
		err = d.Run(context.Background())
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func testMove(args []string) int {
	s, err := native.Open(native.Layout{Root: args[0]}, native.Options{NoFsync: true})
	if err == nil {
		_, err = s.Move(context.Background(), args[1], args[2], board.Cause{Actor: "test"})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// lab is a store on disk, trusted unless a test says otherwise.
type lab struct {
	testing.TB
	dir, home string
	l         native.Layout
	store     *native.Store
	runs      *run.Dir
}

func newLab(t testing.TB) *lab {
	t.Helper()
	// Not t.TempDir: its name may be too long for a socket, and this is not the
	// test of that.
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b := &lab{TB: t, dir: dir, home: filepath.Join(dir, "home"), l: native.Layout{Root: filepath.Join(dir, native.DirName)}}
	_, err = native.Init(b.l.Root, board.DefaultSchema(), false)
	b.must(err)
	b.must(os.Mkdir(b.home, 0o700))
	b.must(native.Trust(b.home, b.l))
	b.store, err = native.Open(b.l, native.Options{NoFsync: true})
	b.must(err)
	b.runs = run.Open(b.l.Runs(), run.Options{NoFsync: true})
	t.Cleanup(func() { b.endRuns(); b.store.Close() })
	return b
}

func (b *lab) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// endRuns leaves no process behind, whatever the test did.
func (b *lab) endRuns() {
	ids, _ := b.runs.IDs()
	for _, id := range ids {
		if rec, err := b.runs.Get(id); err != nil || rec.Status.Final() {
			continue
		}
		_ = supervise.RequestStop(b.runs, id, run.Intent{Verb: run.VerbStop, By: "test"})
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		if _, err := supervise.Await(ctx, b.runs, id); err != nil {
			b.Errorf("end run %s: %v", id, err)
		}
		cancel()
	}
}

func (b *lab) options() Options {
	return Options{Layout: b.l, Cwd: b.dir, Home: b.home, NoFsync: true, Version: "test", Log: b.log()}
}

func (b *lab) log() *slog.Logger {
	if testing.Verbose() {
		return slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return slog.New(slog.DiscardHandler)
}

// start runs a daemon in this process until stop.
func (b *lab) start(o Options) (c *control.Client, stop func()) {
	b.Helper()
	d, err := New(o)
	b.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	stopped := false
	stop = func() {
		b.Helper()
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			b.Errorf("daemon ended with %v", err)
		}
	}
	b.Cleanup(stop)
	place := control.PlaceOf(o.Layout)
	if o.ConfigPath != "" && d.cfg.Workspace.Root != b.l.Workspaces() {
		place = control.PlaceIn(d.cfg.Workspace.Root)
	}
	return b.dial(place), stop
}

// dial waits for a daemon that is ready.
func (b *lab) dial(p control.Place) *control.Client {
	b.Helper()
	var c *control.Client
	b.until("a daemon is ready", func() bool {
		var err error
		if c == nil {
			if c, err = control.DialPlace(p); errors.Is(err, control.ErrNoDaemon) {
				return false
			}
			b.must(err)
		}
		st, err := c.Status(context.Background())
		return err == nil && st.Dispatch.Ready
	})
	b.Cleanup(c.Close)
	return c
}

// startProcess runs a daemon in a process of its own, which may die at a fault
// point.
func (b *lab) startProcess(fault string) (kill func()) {
	b.Helper()
	cmd := exec.Command(os.Args[0], "test-daemon", b.dir, b.home, fault)
	cmd.Stderr = os.Stderr
	b.must(cmd.Start())
	dead := false
	kill = func() {
		if !dead {
			dead = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	b.Cleanup(kill)
	if fault != "" {
		_ = cmd.Wait()
		dead = true
	}
	return kill
}

// card files a ready card for the shell bot.
func (b *lab) card(command string) string {
	b.Helper()
	is, err := b.store.Create(context.Background(), board.Issue{
		Title: command, State: board.StateReady, Bot: "shell", BotArgs: map[string]string{"command": command},
	}, board.Cause{})
	b.must(err)
	return is.ID
}

func (b *lab) issue(id string) board.Issue {
	b.Helper()
	is, err := b.store.Get(context.Background(), id)
	b.must(err)
	return is
}

// settled waits until a card is unclaimed in state.
func (b *lab) settled(id, state string) board.Issue {
	b.Helper()
	var is board.Issue
	b.until(fmt.Sprintf("card %s is settled in %s", id, state), func() bool {
		is = b.issue(id)
		return is.State == state && is.Claim == ""
	})
	return is
}

func (b *lab) runsOf(id string) []run.Record {
	b.Helper()
	found, err := b.runs.List(run.Query{IssueID: id})
	b.must(err)
	return found.Records
}

// running waits until a card's bot has printed word.
func (b *lab) running(id, word string) run.Record {
	b.Helper()
	var rec run.Record
	b.until("the bot of "+id+" says "+word, func() bool {
		recs := b.runsOf(id)
		if len(recs) == 0 {
			return false
		}
		rec = recs[0]
		out, _ := os.ReadFile(b.runs.LogPath(rec.ID))
		return strings.Contains(string(out), word)
	})
	return rec
}

func (b *lab) until(what string, ok func() bool) {
	b.Helper()
	for deadline := time.Now().Add(60 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("waited too long until %s", what)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"iterion/daemon/control"
	"iterion/native"
)

// daemonStart measures from the start of the process until its dispatcher has
// looked at the board and answers.
func (m *measured) daemonStart() boardRow {
	r := boardRow{what: fmt.Sprintf("daemon: start to ready, %v", m.size), peakBar: int64(m.size.daemonMB) << 20,
		bar: time.Duration(m.size.ready) * time.Millisecond}
	var took []time.Duration
	for n := range boardRuns {
		began := time.Now()
		d := m.w.start("-q", "daemon")
		m.w.answers(d)
		took = append(took, time.Since(began))
		if n == 0 { // one that has seen the whole board, and some seconds pass
			m.w.picture(d)
			r.peak = peakOf(d.cmd.Process.Pid)
		}
		d.term()
	}
	r.took = quantile(took, 0.5)
	return r
}

// answers waits until a daemon has looked at the board.
func (w *world) answers(p *proc) control.Status {
	w.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if c, err := control.Dial(native.Layout{Root: w.path(".iterion")}); err == nil {
			st, err := c.Status(context.Background())
			c.Close()
			if err == nil && st.Dispatch.Ready {
				return st
			}
		}
		select {
		case <-p.done:
			w.t.Fatalf("the daemon ended: %s", p.errs)
		default:
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the daemon is not ready after %v", patience)
		}
	}
}

// picture waits until the daemon shows the whole board, and looks once more
// after its next look at the files.
func (w *world) picture(p *proc) {
	w.t.Helper()
	frames := w.frames()
	defer frames.stop()
	<-frames.full
	time.Sleep(6 * time.Second) // one round of its polling net
}

// peakOf is the most memory that a process had, or 0 where nobody counts.
func peakOf(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}

// frames follows what a daemon shows.
type frames struct {
	full chan struct{} // closed with the first frame
	stop func()

	mu   sync.Mutex
	lags []time.Duration // from a card's change until it was shown
}

func (w *world) frames() *frames {
	c, err := control.Dial(native.Layout{Root: w.path(".iterion")})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	f := &frames{full: make(chan struct{})}
	done := make(chan struct{})
	f.stop = func() { cancel(); <-done; c.Close() }
	go func() {
		defer close(done)
		first := true
		_ = c.Watch(ctx, func(got control.Frame) error {
			if got.Schema != nil && first {
				first = false
				close(f.full)
				return nil
			}
			f.note(got)
			return nil
		})
	}()
	return f
}

func (f *frames) note(got control.Frame) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range got.Cards {
		f.lags = append(f.lags, time.Since(c.UpdatedAt))
	}
}

func (f *frames) shown() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.lags)
}

// fallbackPoll is how often a daemon looks that may not watch.
const fallbackPoll = 250 * time.Millisecond

// benchSight measures from a change by another process until the daemon shows
// it, on a board of 10,000 cards: with watches, and with watches refused, where
// up to one interval passes before anything can be noticed.
func benchSight(b *testing.B, bin string) []boardRow {
	w := benchWorld(b, bin)
	ids := fillBoard(b, w, boardSize{cards: 10_000})
	watching := sightRow(w, ids, "watching", w.start("-q", "daemon"), 100*time.Millisecond)
	polling := boardRow{what: "another's change shown by the daemon, watches refused (p95)", note: "NOT MEASURED"}
	if d, err := startUnwatching(w); err == nil {
		polling = sightRow(w, ids, "polling", d, fallbackPoll+100*time.Millisecond)
	} else {
		polling.note += ": " + err.Error()
	}
	return []boardRow{watching, polling}
}

func sightRow(w *world, ids []string, mode string, d *proc, bar time.Duration) boardRow {
	r := boardRow{what: fmt.Sprintf("another's change shown by the daemon, %s (p95)", mode), bar: bar}
	w.answers(d)
	f := w.frames()
	<-f.full
	for n := range 40 {
		w.ok("issue", "update", ids[n], "--title", fmt.Sprintf("%s %d", mode, n))
		w.eventually("the change is shown", func() bool { return f.shown() > n })
	}
	st := w.answers(d)
	f.stop()
	r.took, r.peak = quantile(f.lags, 0.95), peakOf(d.cmd.Process.Pid)
	if st.Watcher.Mode != mode {
		r.note = "NOT MEASURED: the daemon was " + st.Watcher.Mode
	}
	d.term()
	return r
}

// startUnwatching starts a daemon in a user namespace that has no inotify, so
// that no other program of this machine goes without.
func startUnwatching(w *world) (*proc, error) {
	const refuse = `echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"`
	if out, err := exec.Command("unshare", "-Ur", "sh", "-c", refuse, "sh", "true").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("no user namespace: %w %s", err, bytes.TrimSpace(out))
	}
	cmd := w.command()
	cmd.Path, _ = exec.LookPath("unshare")
	cmd.Args = []string{"unshare", "-Ur", "sh", "-c", refuse, "sh", filepath.Join(w.bin, "iterion"), "-q", "daemon"}
	return w.launch(cmd), nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"iterion/daemon/control"
	"iterion/native"
	"iterion/tui"
)

// startWait bounds the wait for a daemon that was just started.
const startWait = 20 * time.Second

// childDaemon finds the store's daemon for the screen and, where there is none,
// starts one that lives as long as the screen. It runs in a session of its own:
// ctrl-z and ctrl-c are for the screen.
type childDaemon struct {
	f      *Factory
	config string
	attach bool // never start one

	mu      sync.Mutex
	done    chan struct{} // closed when the child has ended; nil before it was started
	crashed bool          // the child ended by itself, and not well
}

// connect returns the daemon. Where none runs, one is started if that is asked
// for, or if the one that was started here has crashed.
func (d *childDaemon) connect(ctx context.Context, start bool) (tui.Source, error) {
	l, err := d.f.Layout()
	var none *native.NoStoreError
	if errors.As(err, &none) {
		return nil, tui.ErrNoStore
	}
	if err != nil {
		return nil, err
	}
	c, err := control.Dial(l)
	switch {
	case err == nil:
		return c, nil
	case isNoDaemon(err) && d.attach:
		return nil, fmt.Errorf("%w: `iterion daemon` starts one, and so does `iterion tui` by itself", err)
	case !isNoDaemon(err) || !start && !d.hasCrashed():
		return nil, err
	}
	if err := d.start(l); err != nil {
		return nil, err
	}
	return d.await(ctx, l)
}

// start runs a daemon unless one that was started here is still alive.
func (d *childDaemon) start(l native.Layout) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.alive() {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	log, err := os.OpenFile(daemonLog(l), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(exe, d.args(l)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := cmd.Wait() // why it ended is in its log
		d.mu.Lock()
		defer d.mu.Unlock()
		d.crashed = err != nil && cmd.ProcessState.ExitCode() != ExitConflict // gave way to another
	}()
	d.done, d.crashed = done, false
	return nil
}

func (d *childDaemon) hasCrashed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.crashed
}

func (d *childDaemon) args(l native.Layout) []string {
	args := []string{"daemon", "--store-dir", l.Root}
	if d.f.Global.NoFsync {
		args = append(args, "--no-fsync")
	}
	if d.config != "" {
		args = append(args, "--", d.config)
	}
	return args
}

// daemonLog is where a daemon that the screen started writes its log.
func daemonLog(l native.Layout) string { return filepath.Join(l.Dispatcher(), "daemon.log") }

// await connects as soon as the daemon answers. Somebody else's daemon will do:
// ours gives way to one that has the lock.
func (d *childDaemon) await(ctx context.Context, l native.Layout) (tui.Source, error) {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	for {
		c, err := control.Dial(l)
		if err == nil {
			return c, nil
		}
		if !d.owned() {
			return nil, fmt.Errorf("the daemon ended at once: %s", lastLine(daemonLog(l)))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the daemon does not answer, see %s: %w", daemonLog(l), ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// owned reports whether the daemon that was started here is alive.
func (d *childDaemon) owned() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.alive()
}

func (d *childDaemon) alive() bool {
	if d.done == nil {
		return false
	}
	select {
	case <-d.done:
		return false
	default:
		return true
	}
}

// stop ends the daemon that was started here and waits until it is gone.
func (d *childDaemon) stop(ctx context.Context, cancelRuns bool) error {
	if !d.owned() {
		return nil
	}
	c, err := d.f.Control()
	if err != nil {
		return fmt.Errorf("stop the daemon: %w", err)
	}
	if _, err := c.Stop(ctx, control.Stop{CancelRuns: cancelRuns, By: d.f.Actor()}); err != nil {
		return fmt.Errorf("stop the daemon: %w", err)
	}
	select {
	case <-d.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the daemon's end: %w", ctx.Err())
	}
}

// lastLine returns the end of a log, for a message.
func lastLine(name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return lines[len(lines)-1]
}

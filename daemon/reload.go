package daemon

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"iterion/native/watch"
)

// configState is what became of the config file since the start. The daemon's cfg
// keeps what needs a restart; live is what is in force.
type configState struct {
	turn sync.Mutex // one reload at a time

	mu      sync.Mutex
	live    *Config // nil: as at the start
	problem string  // what is wrong with the file as it is
	restart []string
}

// shown is what is wrong with the file, for the status.
func (c *configState) shown() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.problem
}

// waiting are the settings that need a restart.
func (c *configState) waiting() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.restart
}

// configNow returns the settings in force.
func (d *Daemon) configNow() Config {
	d.config.mu.Lock()
	defer d.config.mu.Unlock()
	if d.config.live != nil {
		return *d.config.live
	}
	return d.cfg
}

// keepConfig makes the effective config durable, for everybody who starts runs in
// this store. It is the singleton's: another daemon must not lift the store's cap.
func (d *Daemon) keepConfig(c Config) error {
	if !d.singleton.Load() {
		return nil
	}
	return c.save(d.o.Layout.ConfigFile(), d.o.ConfigPath, d.atomic(false))
}

// reload reads the config file again. When it is wrong, or cannot be taken over,
// the last good one stays in force and the error is shown until the file is mended.
func (d *Daemon) reload(ctx context.Context) error {
	if d.o.ConfigPath == "" {
		return nil
	}
	d.config.turn.Lock()
	defer d.config.turn.Unlock()
	next, err := LoadConfig(d.o.ConfigPath, d.o.Cwd, d.o.Layout.Workspaces())
	var restart []string
	if err == nil {
		restart = next.keepRestartOnly(d.cfg)
		err = d.takeOver(ctx, next)
	}
	d.config.mu.Lock()
	d.config.problem = ""
	if err != nil {
		d.config.problem = err.Error()
	} else {
		d.config.live, d.config.restart = &next, restart
	}
	d.config.mu.Unlock()
	d.tellReload(err, restart)
	return err
}

func (d *Daemon) takeOver(ctx context.Context, next Config) error {
	if reflect.DeepEqual(next, d.configNow()) {
		return nil
	}
	if err := d.keepConfig(next); err != nil {
		return err
	}
	if err := d.disp.Configure(ctx, next.dispatch()); err != nil {
		return err
	}
	d.folders.SetHooks(next.Hooks.workspace())
	return nil
}

func (d *Daemon) tellReload(err error, restart []string) {
	switch {
	case err != nil:
		d.log.Warn("the config file is not taken over, the last good one stays in force", "path", d.o.ConfigPath, "err", err)
	case len(restart) > 0:
		d.log.Warn("some settings of the config file need a restart", "path", d.o.ConfigPath, "keys", restart)
	default:
		d.log.Info("config read again", "path", d.o.ConfigPath)
	}
	d.sight.poke()
}

// keepRestartOnly sets the settings that hold from the start to the end of a daemon
// back to what they are, and names those that the file has changed.
func (c *Config) keepRestartOnly(started Config) []string {
	var changed []string
	for _, part := range []struct {
		key      string
		now, was any
	}{
		{"tracker", c.Tracker, started.Tracker},
		{"workspace", c.Workspace, started.Workspace},
		{"bots", c.Bots, started.Bots},
		{"server", c.Server, started.Server},
	} {
		if !reflect.DeepEqual(part.now, part.was) {
			changed = append(changed, part.key)
		}
	}
	c.Tracker, c.Workspace, c.Bots, c.Server = started.Tracker, started.Workspace, started.Bots, started.Server
	return changed
}

// settleDown is how long a file that is being written is left alone.
const settleDown = 100 * time.Millisecond

// watchConfig reads the config file again whenever it changes, until ctx ends. The
// folder is watched, for editors save by rename.
func (d *Daemon) watchConfig(ctx context.Context) error {
	path := d.o.ConfigPath
	if path == "" {
		<-ctx.Done()
		return nil
	}
	w := watch.New(watch.Options{Dirs: []string{filepath.Dir(path)}, Log: d.log})
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	var last os.FileInfo // the first hint always reads: the file may have been saved since the start
	for {
		select {
		case <-ctx.Done():
			return <-ended
		case <-w.C():
		}
		if sameFile(last, statOf(path)) {
			continue
		}
		sleep(ctx, settleDown)
		last = statOf(path)
		if ctx.Err() == nil {
			_ = d.reload(ctx) // told, and shown in the status
		}
	}
}

// statOf returns nil for a file that is not there.
func statOf(path string) os.FileInfo {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

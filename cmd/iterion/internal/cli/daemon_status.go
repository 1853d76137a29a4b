package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/spf13/cobra"

	"iterion/daemon"
	"iterion/daemon/control"
)

type daemonStatusOptions struct {
	watch  bool
	config string
}

func newDaemonStatus(f *Factory) *cobra.Command {
	var o daemonStatusOptions
	c := &cobra.Command{
		Use: "status", Short: "Show what the daemon is doing, and what waits for what", Args: exactly(),
		Long: "Show the slots, what runs, what waits and why, the retries, the cards that are parked or held,\n" +
			"the spending of the day, and the latest troubles. Without a running daemon the files tell what\n" +
			"one would find that started now; the exit code is 3 then.",
		RunE: func(c *cobra.Command, _ []string) error { return runDaemonStatus(c.Context(), f, o) },
	}
	c.Flags().BoolVarP(&o.watch, "watch", "w", false, "show it again whenever it changes, until interrupted")
	c.Flags().StringVar(&o.config, "config", "", "config `file` to judge by where no daemon runs")
	return c
}

func runDaemonStatus(ctx context.Context, f *Factory, o daemonStatusOptions) error {
	c, err := f.Control()
	if isNoDaemon(err) {
		return offlineStatus(ctx, f, o)
	}
	if err != nil {
		return err
	}
	if o.watch {
		return watchStatus(ctx, f, c)
	}
	s, err := c.Status(ctx)
	if err != nil {
		return err
	}
	return showStatus(f, s)
}

func showStatus(f *Factory, s control.Status) error {
	if f.Global.JSON {
		return f.PrintJSON(s)
	}
	printStatus(f, s)
	return nil
}

// offlineStatus shows what files tell, and ends like every command that found no
// daemon.
func offlineStatus(ctx context.Context, f *Factory, o daemonStatusOptions) error {
	opts, err := f.daemonOptions(o.config)
	if err != nil {
		return err
	}
	s, err := daemon.OfflineStatus(ctx, opts)
	if err != nil {
		return errors.Join(noDaemon(), err)
	}
	if err := showStatus(f, s); err != nil {
		return err
	}
	return noDaemon()
}

// noDaemon says that none runs, and how to start one.
func noDaemon() error {
	return &ExitError{Code: ExitNotFound, Err: control.ErrNoDaemon, Hint: "`iterion daemon` starts one, `iterion tui` too"}
}

// Daemon connects to the store's daemon and says how to start one when there is
// none.
func (f *Factory) Daemon() (*control.Client, error) {
	c, err := f.Control()
	if isNoDaemon(err) {
		return nil, noDaemon()
	}
	return c, err
}

// watchStatus shows the status whenever it changes: on a terminal in the place of
// the last one, else behind it; as JSON one line each.
func watchStatus(ctx context.Context, f *Factory, c *control.Client) error {
	var last control.Status
	err := c.Watch(ctx, func(frame control.Frame) error {
		if frame.Status == nil || reflect.DeepEqual(stripped(*frame.Status), last) {
			return nil
		}
		last = stripped(*frame.Status)
		return f.refreshed(*frame.Status)
	})
	if errors.Is(err, control.ErrStopped) {
		return noDaemon()
	}
	return err
}

// stripped is a status without what changes while nothing does.
func stripped(s control.Status) control.Status {
	s.Dispatch.Seq, s.Dispatch.At, s.Dispatch.Ticks, s.Dispatch.Thinking = 0, s.StartedAt, 0, 0
	s.Dispatch.LastTick, s.Dispatch.NextPoll = s.StartedAt, s.StartedAt
	if s.Clocks != nil {
		c := *s.Clocks
		c.LastTick = s.StartedAt
		s.Clocks = &c
	}
	return s
}

func (f *Factory) refreshed(s control.Status) error {
	switch {
	case f.Global.JSON:
		line, err := json.Marshal(s)
		if err != nil {
			return fmt.Errorf("encode result: %w", err)
		}
		_, err = fmt.Fprintf(f.IO.Out, "%s\n", line)
		return err
	case f.IO.OutTTY:
		fmt.Fprint(f.IO.Out, "\x1b[H\x1b[2J")
		f.IO.Width = f.IO.width()
	default:
		f.Say("--- %s", instant(s.Dispatch.At))
	}
	printStatus(f, s)
	return nil
}

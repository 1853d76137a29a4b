package cli

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"iterion/daemon"
)

type daemonOptions struct {
	config    string
	untilIdle bool
	listen    string
	logFormat string
}

func newDaemon(f *Factory) *cobra.Command {
	var o daemonOptions
	c := &cobra.Command{
		Use: "daemon [CONFIG]", Aliases: []string{"dispatch"}, Short: "Work the board's cards until stopped",
		Long: "Hand the cards of eligible columns to their bots until stopped. Without CONFIG the built-in\n" +
			"settings hold. Stopping it (ctrl-c, SIGTERM, `iterion daemon stop`) leaves running bots at\n" +
			"work; the next daemon takes them over. The log goes to standard error.",
		Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.config = args[0]; !isFile(o.config) {
					return notAConfig(c, o.config)
				}
			}
			return runDaemon(c.Context(), f, o)
		},
	}
	c.Flags().BoolVar(&o.untilIdle, "until-idle", false, "end once nothing is left to do")
	c.Flags().StringVar(&o.listen, "listen", "", "serve health and metrics there: a port of the loopback interface, or `host:port` (default: server.listen)")
	c.Flags().StringVar(&o.logFormat, "log-format", "text", "`text` or json")
	completeFlag(c, "log-format", fixed("text", "json"))
	c.AddCommand(newDaemonStatus(f), newDaemonStop(f), newDaemonPause(f), newDaemonUnpause(f), newDaemonRefresh(f), newDaemonReload(f))
	return c
}

func runDaemon(ctx context.Context, f *Factory, o daemonOptions) error {
	opts, err := f.daemonOptions(o.config)
	if err != nil {
		return err
	}
	if opts.Log, err = f.logger(o.logFormat); err != nil {
		return err
	}
	if _, err := daemon.ListenAddr(o.listen); err != nil {
		return Usagef("--listen: %v", err)
	}
	opts.Listen, opts.UntilIdle, opts.Fault, opts.Lease = o.listen, o.untilIdle, f.Hooks.Fault, f.Hooks.Lease
	f.mentionConfig(o.config)
	d, err := daemon.New(opts)
	if err != nil {
		return err
	}
	defer outliveReaders()()
	keepSmall()
	return d.Run(ctx)
}

// keepSmall has memory collected when it has grown by a quarter, not doubled, for
// whoever holds a whole board: a daemon, most of whose memory stays as it is, so
// that this costs little work. A GOGC of the user's own counts.
func keepSmall() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25)
	}
}

// daemonOptions fills in what every use of the daemon's parts needs.
func (f *Factory) daemonOptions(config string) (daemon.Options, error) {
	o := daemon.Options{ConfigPath: config, Version: Version(), NoFsync: f.Global.NoFsync}
	cwd, err := f.Cwd()
	if err != nil {
		return o, err
	}
	if o.Cwd, err = f.workRoot(); err != nil {
		return o, err
	}
	if o.Home, err = f.Home(); err != nil {
		return o, err
	}
	if config != "" && !filepath.IsAbs(config) {
		o.ConfigPath = filepath.Join(cwd, config)
	}
	o.Layout, err = f.Layout()
	return o, err
}

// logger writes to standard error; -v says more, -q less.
func (f *Factory) logger(format string) (*slog.Logger, error) {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	switch {
	case f.Global.Verbose:
		o.Level = slog.LevelDebug
	case f.Global.Quiet:
		o.Level = slog.LevelWarn
	}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(f.IO.Err, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(f.IO.Err, o)), nil
	}
	return nil, Usagef("--log-format %q: want text or json%s", format, didYouMean(format, []string{"text", "json"}))
}

// mentionConfig says that a config file lies here which nobody asked for. It is
// not loaded: a folder that one happens to be in must not change what runs.
func (f *Factory) mentionConfig(config string) {
	if config == "" && isFile(daemon.ConfigName) {
		f.Talk("there is a %s here; it is not used unless you say `iterion daemon %s`", daemon.ConfigName, daemon.ConfigName)
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// notAConfig tells a mistyped verb from a config file that is not there.
func notAConfig(c *cobra.Command, name string) error {
	if !strings.ContainsAny(name, "./") {
		return knownCommand(c, []string{name})
	}
	_, err := os.Stat(name)
	if err == nil {
		return Usagef("config %s is not a file", name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Usagef("config %s does not exist", name)
	}
	return Usagef("config: %v", err)
}

// outliveReaders keeps a process alive whose standard error is a pipe that
// nobody reads any more. The signal is caught, not ignored: bots must not
// inherit that.
func outliveReaders() (restore func()) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGPIPE)
	return func() { signal.Stop(caught) }
}

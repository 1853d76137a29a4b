package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"iterion/bots"
	"iterion/bots/supervise"
	"iterion/native"
	"iterion/native/run"
)

type runOptions struct {
	vars     []string
	varsFile string
	issue    string
	workdir  string
	timeout  time.Duration
	detach   bool
	overCap  bool
}

func newRun(f *Factory) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use: "run BOT", Short: "Run a bot now, and watch it", Args: exactly("BOT"),
		Long: "Run a bot now. Its log is the result on standard output (with --json, on standard error, and\n" +
			"the run's record follows on standard output). The exit code is the bot's verdict: 0 finished,\n" +
			"10 failed, 11 paused, 12 cancelled. Ctrl-C asks the bot to stop and waits for its end; a second\n" +
			"one kills it. What the bot asks is asked on the terminal, and the run goes on; without a\n" +
			"terminal the command ends, and `iterion runs answer` answers. The run does not need this\n" +
			"command: it goes on when the terminal is closed.\n\n" +
			"When the day's spending has reached its cap nothing is started (exit 4), unless --over-cap says so.",
		Example: "  iterion run hello\n" +
			"  iterion run shell --var 'command=make test' --timeout 10m\n" +
			"  iterion run my-bot --issue 3f2a --detach",
		ValidArgsFunction: f.completeBots,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("timeout") && o.timeout <= 0 {
				return Usagef("--timeout %s: want more than 0; leave it out for the bot's own", o.timeout)
			}
			return runRun(c.Context(), f, o, args[0])
		},
	}
	fl := c.Flags()
	fl.StringArrayVar(&o.vars, "var", nil, "tell the bot `name=value`, repeatable")
	fl.StringVar(&o.varsFile, "vars-file", "", "JSON `file` with an object of vars; --var goes before it; - is standard input")
	fl.StringVar(&o.issue, "issue", "", "run it for the card with this `id`: its text and bot args fill the vars")
	fl.StringVar(&o.workdir, "workdir", "", "`folder` to run in (default: this one)")
	fl.DurationVar(&o.timeout, "timeout", 0, "end the run after so long (default: the bot's own limit)")
	fl.BoolVarP(&o.detach, "detach", "d", false, "print the run's id and do not wait")
	fl.BoolVar(&o.overCap, "over-cap", false, "start it, and let it go on, although the day's spending is at its cap")
	completeFlag(c, "issue", f.completeIDs)
	completeFlag(c, "var", f.completeVars)
	return c
}

// runRun checks everything first: a slip on the command line makes no run.
func runRun(ctx context.Context, f *Factory, o runOptions, slug string) error {
	l, err := f.Layout()
	if err != nil {
		return err
	}
	if err := f.RequireTrust(l); err != nil {
		return err
	}
	b, err := f.launchable(slug)
	if err != nil {
		return err
	}
	spec, err := f.runSpec(ctx, o, b)
	if err != nil {
		return err
	}
	if !o.overCap {
		if err := f.underCap(); err != nil {
			return err
		}
	}
	runs, err := f.launch(ctx, l, spec)
	if err != nil {
		return err
	}
	f.leaveTrace(ctx, l, spec)
	if o.detach {
		return f.printDetached(runs, spec)
	}
	return f.seeOut(ctx, runs, spec.RunID, goOnOptions{overCap: o.overCap})
}

func (f *Factory) launchable(slug string) (bots.Bot, error) {
	reg, err := f.Bots()
	if err != nil {
		return bots.Bot{}, err
	}
	b, err := reg.Resolve(slug)
	if err != nil {
		return bots.Bot{}, err
	}
	return b, b.Launchable()
}

func (f *Factory) runSpec(ctx context.Context, o runOptions, b bots.Bot) (supervise.Spec, error) {
	s := supervise.Spec{
		RunID: run.NewID(), Bot: b, Source: run.Source{Kind: run.SourceManual}, Attempt: 1, Timeout: o.timeout,
		OverCap: o.overCap,
	}
	var err error
	if s.Workdir, err = f.folder(o.workdir); err != nil {
		return s, err
	}
	typed, err := f.typedVars(o)
	if err != nil {
		return s, err
	}
	if o.issue == "" {
		s.Inputs, err = b.Manifest.ResolveVars(typed)
		return s, err
	}
	return s, f.fillFromCard(ctx, o.issue, typed, &s)
}

// folder makes a path absolute and wants a folder there.
func (f *Factory) folder(path string) (string, error) {
	cwd, err := f.Cwd()
	if err != nil {
		return "", fmt.Errorf("find the working folder: %w", err)
	}
	if path == "" {
		return cwd, nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	if !isDir(path) {
		return "", Usagef("--workdir %s: there is no such folder", path)
	}
	return path, nil
}

func (f *Factory) launch(ctx context.Context, l native.Layout, spec supervise.Spec) (*run.Dir, error) {
	runs, err := f.Runs()
	if err != nil {
		return nil, err
	}
	launcher := &supervise.Launcher{Runs: runs, StoreDir: l.Root, NoFsync: f.Global.NoFsync}
	start := func() error {
		_, err := launcher.Start(ctx, spec)
		return err
	}
	if spec.Source.IssueID == "" {
		return runs, start()
	}
	return runs, f.holdingCard(ctx, runs, spec, start)
}

func (f *Factory) printDetached(runs *run.Dir, spec supervise.Spec) error {
	if f.Global.JSON {
		rec, err := runs.Get(spec.RunID)
		if err != nil {
			return err
		}
		return f.printRecord(runs, rec)
	}
	f.Say("%s", spec.RunID)
	return nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"iterion/sched/hostcron"
)

func newScheduleInstall(s *schedules) *cobra.Command {
	var show bool
	c := &cobra.Command{
		Use: "install", Short: "Put the schedules into your crontab", Args: exactly(),
		Long: "Put the schedules into your crontab: one block of lines between two markers, which is replaced as\n" +
			"a whole each time. Your own lines stay byte for byte, and a copy of the crontab is kept first. What\n" +
			"is up to date is left alone. The lines call this very program; its path and your PATH of now are\n" +
			"written down for them, so do it again when either moves, and after each change of the manifest.\n\n" +
			"Nothing but file permissions guards this surface: who can write the manifest (~/.iterion/schedules.yaml)\n" +
			"or your crontab can run anything as you.\n\n" +
			"--print prints the block and changes nothing; it needs no crontab program, so that its lines can go\n" +
			"anywhere else. --json prints {changed, backup, schedules, skipped, warnings, block}.",
		Example: "  iterion schedule install --print\n" +
			"  iterion schedule install && crontab -l",
		RunE: func(c *cobra.Command, _ []string) error {
			if show {
				return runInstallPrint(s)
			}
			return runScheduleInstall(c.Context(), s)
		},
	}
	c.Flags().BoolVar(&show, "print", false, "print the block and change nothing")
	return c
}

func newScheduleUninstall(s *schedules) *cobra.Command {
	return &cobra.Command{
		Use: "uninstall", Short: "Take the schedules out of your crontab", Args: exactly(),
		Long: "Take the block of schedules out of your crontab. Your own lines stay byte for byte, and a copy of\n" +
			"the crontab is kept. The manifest stays as well: `iterion schedule install` puts the block back.",
		RunE: func(c *cobra.Command, _ []string) error { return runScheduleUninstall(c.Context(), s) },
	}
}

// installJSON is what an install or an uninstall did.
type installJSON struct {
	Changed   bool     `json:"changed"`
	Backup    string   `json:"backup,omitempty"`
	Schedules []string `json:"schedules"`         // with lines in the block
	Skipped   []string `json:"skipped,omitempty"` // enabled, and without a line: why
	Warnings  []string `json:"warnings,omitempty"`
	Block     string   `json:"block"`
}

func newInstallJSON(r hostcron.Result) installJSON {
	j := installJSON{
		Changed: r.Changed, Backup: r.Backup, Schedules: nonNil(r.Block.Names), Warnings: r.Warnings, Block: string(r.Block.Text),
	}
	for _, p := range r.Block.Skipped {
		j.Skipped = append(j.Skipped, p.String())
	}
	return j
}

func runInstallPrint(s *schedules) error {
	in, err := s.installer()
	if err != nil {
		return err
	}
	block, err := in.Block()
	if err != nil {
		return err
	}
	j := newInstallJSON(hostcron.Result{Block: block})
	s.warnOf(j)
	if s.f.Global.JSON {
		return s.f.PrintJSON(j)
	}
	_, _ = s.f.IO.Out.Write(block.Text)
	return nil
}

func runScheduleInstall(ctx context.Context, s *schedules) error {
	in, err := s.installer()
	if err != nil {
		return err
	}
	r, err := in.Install(ctx)
	if err != nil {
		return crontabError(err)
	}
	j := newInstallJSON(r)
	s.warnOf(j)
	switch n := len(j.Schedules); {
	case s.f.Global.JSON:
		return s.f.PrintJSON(j)
	case !j.Changed:
		s.f.Say("already up to date: %s in your crontab", schedulesText(j.Schedules))
	default:
		s.f.Say("installed: %s in your crontab", schedulesText(j.Schedules))
		s.mentionBackup(j)
		if n == 0 {
			s.f.Talk("no schedule is enabled: `iterion schedule list` shows them")
		}
	}
	return nil
}

func schedulesText(names []string) string {
	return fmt.Sprintf("%d %s", len(names), plural(len(names), "schedule", "schedules")) + strings.TrimSuffix(" ("+someNames(names)+")", " ()")
}

// someNames lists names, of many the first.
func someNames(names []string) string {
	const most = 12
	if n := len(names); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	}
	return strings.Join(names, ", ")
}

func runScheduleUninstall(ctx context.Context, s *schedules) error {
	in, err := s.installer()
	if err != nil {
		return err
	}
	r, err := in.Uninstall(ctx)
	if err != nil {
		return crontabError(err)
	}
	j := newInstallJSON(r)
	s.warnOf(j)
	switch {
	case s.f.Global.JSON:
		return s.f.PrintJSON(j)
	case !j.Changed:
		s.f.Say("nothing to do: your crontab has no schedules of iterion")
	default:
		s.f.Say("took the schedules out of your crontab")
		s.mentionBackup(j)
	}
	return nil
}

func (s *schedules) mentionBackup(j installJSON) {
	if j.Backup != "" {
		s.f.Talk("your crontab as it was: %s", j.Backup)
	}
}

func (s *schedules) warnOf(j installJSON) {
	for _, text := range append(j.Skipped, j.Warnings...) {
		s.f.Warn("%s", text)
	}
}

// crontabError says what to do about a crontab that cannot be written.
func crontabError(err error) error {
	switch {
	case errors.Is(err, hostcron.ErrNoCrontab):
		return &ExitError{Code: ExitFailed, Err: err, Hint: "a daemon keeps a clock of its own, without cron: see `iterion trigger`"}
	case errors.Is(err, hostcron.ErrConflict):
		return &ExitError{Code: ExitConflict, Err: err, Hint: "nothing was written; do it again when the crontab is no longer being edited"}
	}
	return err
}

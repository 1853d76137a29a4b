package cli

import (
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"iterion/daemon"
)

// zoneFolders are where systems keep the time zones.
var zoneFolders = []string{"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo"}

// completeZones offers the time zones of this system.
func completeZones(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	for _, dir := range zoneFolders {
		if zones := zonesBelow(os.DirFS(dir)); len(zones) > 0 {
			return append(zones, "UTC"), noFiles
		}
	}
	return []cobra.Completion{"UTC"}, noFiles
}

// zonesBelow lists zones by their places: Europe/Berlin. The folders in lower case
// hold the same zones once more, under other rules.
func zonesBelow(dir fs.FS) []cobra.Completion {
	var zones []cobra.Completion
	_ = fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && path != "." && strings.ToLower(path) == path:
			return fs.SkipDir
		case !d.IsDir() && strings.Contains(path, "/") && !strings.Contains(path, "."):
			zones = append(zones, path)
		}
		return nil
	})
	return zones
}

// completeNames offers the schedules, with their expressions.
func (s *schedules) completeNames(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	return s.completeEachName(nil, nil, "")
}

func (s *schedules) completeEachName(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	m, err := s.load()
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, row := range m.Rows {
		out = append(out, cobra.CompletionWithDesc(visibleLine(row.Name), visibleLine(row.Cron+" "+row.Bot)))
	}
	return out, noFiles | cobra.ShellCompDirectiveKeepOrder
}

// completeSubjects offers what `why` answers for: schedules, whoever keeps their
// clock, and cards with their titles.
func (s *schedules) completeSubjects(c *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names, how := s.completeNames(c, args, to)
	if len(args) > 0 {
		return names, how
	}
	if o, err := s.f.daemonOptions(""); err == nil {
		rows, _, _ := daemon.Schedules(c.Context(), o) // what cannot be read is not offered
		for _, r := range rows {
			names = append(names, cobra.CompletionWithDesc(visibleLine(r.ID), visibleLine(r.Clock+" "+r.Bot)))
		}
	}
	cards, _ := s.f.completeIDs(c, args, to)
	return append(names, cards...), noFiles | cobra.ShellCompDirectiveKeepOrder
}

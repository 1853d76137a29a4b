package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"iterion/sched/cronspec"
)

type scheduleNextOptions struct {
	tz   string
	from string
	n    int
}

// nextShown is how many instants are shown unless somebody asks for more.
const nextShown = 5

// nextMost bounds what can be asked for.
const nextMost = 10_000

func newScheduleNext(f *Factory) *cobra.Command {
	var o scheduleNextOptions
	c := &cobra.Command{
		Use: "next EXPR", Short: "Say what a cron expression means and when it is due", Args: oneExpression,
		Long: "Say in plain words what a cron expression means, and print the next instants at which it is due,\n" +
			"in its zone and in UTC. Five fields (minute hour day month weekday) with names, ranges, steps and\n" +
			"lists; or @hourly @daily @weekly @monthly @yearly @midnight; or @every 90s, which only a daemon's\n" +
			"clock keeps. The zone is --tz, else a CRON_TZ= in front of the expression, else this host's.\n\n" +
			"Where clocks change: a time that is skipped fires once, at the end of the gap; a time that comes\n" +
			"twice fires once, unless the hour field is * or a step, for those follow elapsed time.\n\n" +
			"--json prints {cron, tz, meaning, next: [{at, utc}]}.",
		Example: "  iterion schedule next '30 2 * * mon-fri' --tz Europe/Berlin\n" +
			"  iterion schedule next '0 2 * * *' --tz America/New_York --from 2027-03-13 -n 3",
		RunE: func(_ *cobra.Command, args []string) error { return runScheduleNext(f, o, args[0]) },
	}
	fl := c.Flags()
	fl.StringVar(&o.tz, "tz", "", "read it in this `zone`, such as Europe/Berlin")
	fl.StringVar(&o.from, "from", "", "after this `time` instead of now: 2026-11-30, 2026-11-30T09:00:00Z; without an offset, in the zone")
	fl.IntVarP(&o.n, "count", "n", nextShown, "so many instants")
	completeFlag(c, "tz", completeZones)
	return c
}

// oneExpression wants the expression as one argument. Without quotes the shell made
// several of it, and file names of the stars.
func oneExpression(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("the expression is one argument, and came as %d", len(args)),
			Hint: "put it in quotes: " + c.CommandPath() + " '0 2 * * *'"}
	}
	return exactly("EXPR")(c, args)
}

// dueJSON is an instant at which an expression is due.
type dueJSON struct {
	At  time.Time `json:"at"` // with the offset that its zone has then
	UTC time.Time `json:"utc"`
}

// nextJSON is the result of `schedule next`.
type nextJSON struct {
	Cron    string    `json:"cron"`
	TZ      string    `json:"tz"`
	Meaning string    `json:"meaning"`
	Next    []dueJSON `json:"next"`
}

func runScheduleNext(f *Factory, o scheduleNextOptions, expr string) error {
	if o.n < 1 || o.n > nextMost {
		return Usagef("--count %d: want 1 to %d", o.n, nextMost)
	}
	spec, err := cronspec.Parse(expr, o.tz, time.Local)
	if err != nil {
		return cronError(err)
	}
	from := f.Now()
	if o.from != "" {
		var ok bool
		if from, ok = parseInstantIn(o.from, from, spec.Zone()); !ok {
			return Usagef("--from %q: want %s", o.from, wantInstant)
		}
	}
	due := dueAfter(spec, from, o.n)
	switch {
	case f.Global.JSON:
		return f.PrintJSON(nextJSON{Cron: spec.String(), TZ: spec.Zone().String(), Meaning: spec.Explain(), Next: due})
	case f.Global.Quiet:
		for _, d := range due {
			f.Say("%s", d.At.Format(time.RFC3339))
		}
	default:
		f.Say("%s", spec.Explain())
		f.Say("")
		sayDue(f, spec, due)
	}
	return nil
}

// dueAfter returns the next n instants. The start is stripped of the monotonic
// clock, which a jump of the wall clock leaves behind.
func dueAfter(spec cronspec.Spec, from time.Time, n int) []dueJSON {
	due := make([]dueJSON, 0, n)
	for at := from.Round(0); len(due) < n; {
		at = spec.Next(at)
		due = append(due, dueJSON{At: at.In(spec.Zone()), UTC: at.UTC()})
	}
	return due
}

// Layouts of an instant with its weekday, which is what people check first.
const (
	inZoneLayout = "Mon 2006-01-02 15:04:05 -0700"
	inUTCLayout  = "Mon 2006-01-02 15:04:05"
)

func sayDue(f *Factory, spec cronspec.Spec, due []dueJSON) {
	t := Table{Head: []string{"IN " + zoneName(spec.Zone(), f.Now()), "IN UTC"}}
	for _, d := range due {
		t.Row(d.At.Format(inZoneLayout), d.UTC.Format(inUTCLayout))
	}
	t.Print(f)
}

// zoneName names a zone. The host's own is called Local inside the program, which
// says nothing to people: they read its abbreviation.
func zoneName(zone *time.Location, at time.Time) string {
	if name := zone.String(); name != "Local" {
		return name
	}
	abbreviation, _ := at.In(zone).Zone()
	return "host time (" + abbreviation + ")"
}

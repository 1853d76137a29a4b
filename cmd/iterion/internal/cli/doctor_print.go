package cli

import (
	"fmt"
	"strings"

	"iterion/native"
	"iterion/native/doctor"
)

// maxAlike is how many findings of one check people are shown.
const maxAlike = 5

// examined shows on a terminal how far a long examination is.
func (f *Factory) examined() (show func(done, of int), clear func()) {
	var p *progress
	show = func(done, of int) {
		if p == nil {
			p = f.progress("cards examined:", of)
		}
		p.of = of
		p.at(done)
	}
	return show, func() {
		if p != nil {
			p.clear()
		}
	}
}

func printCheckup(f *Factory, c checkup) error {
	if f.Global.JSON {
		return f.PrintJSON(c)
	}
	printMending(f, c.Mending)
	printArchived(f, c.Archived)
	alike := map[string]int{}
	for _, found := range c.Findings {
		if alike[found.ID]++; f.Global.Quiet {
			f.Say("%s %s %s", found.Severity, found.ID, found.Where)
		} else if alike[found.ID] <= maxAlike {
			printFinding(f, found)
		}
	}
	printVerdict(f, c, alike)
	return nil
}

func printMending(f *Factory, m *doctor.Mending) {
	if m == nil {
		return
	}
	for n, did := range m.Did {
		if n == 4*maxAlike && len(m.Did) > n+1 {
			f.Say("… and %d steps more", len(m.Did)-n)
			break
		}
		f.Say("%s", did)
	}
	for _, failed := range m.Failed {
		f.Warn("not mended: %s", failed)
	}
}

func printArchived(f *Factory, a *native.Archived) {
	switch {
	case a == nil:
	case a.Events == 0:
		f.Talk("no event is old enough: nothing was archived")
	default:
		f.Say("archived %s, %d to %d: %s", count(a.Events, "event"), a.First, a.Last, strings.Join(a.Files, ", "))
	}
}

func printFinding(f *Factory, found doctor.Finding) {
	who := "do"
	if found.Fixable {
		who = "fix"
	}
	f.Say("%s %s", f.Bold(string(found.Severity)+":"), found.What+"  ["+found.ID+"]")
	for _, row := range [][2]string{{"where", found.Where}, {"means", found.Means}, {who, found.Remedy}} {
		f.Say("  %-6s %s", row[0], row[1])
	}
}

// printVerdict ends in one line that says how the store is.
func printVerdict(f *Factory, c checkup, alike map[string]int) {
	if f.Global.Quiet {
		return
	}
	for _, found := range c.Findings {
		if n := alike[found.ID] - maxAlike; n > 0 {
			f.Say("… and %d more of %s; --json lists them all", n, found.ID)
			delete(alike, found.ID)
		}
	}
	if c.Healthy {
		f.Say("the store %s is well: %s, %s, %s", c.Store, count(c.Cards, "card"), count(c.Events, "event"), count(c.Bots, "bot"))
		return
	}
	f.Say("%s in the store %s", count(len(c.Findings), "finding"), c.Store)
	if c.Report.Fixable() && c.Mending == nil {
		f.Talk("`iterion doctor --fix` mends those that say fix; it moves aside and never deletes")
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

package storetest

import (
	"fmt"
	"testing"
)

// Options say what a store lacks for a good reason.
type Options struct {
	// Younger: the log begins after some of the cards, as in a clone of the board.
	Younger bool
}

// A Fault is one thing that must not be.
type Fault struct {
	Rule  string // the invariant, or "cycle"
	Where string // a file, a card's id or an event
	What  string
}

func (f Fault) String() string { return fmt.Sprintf("%s: %s: %s", f.Rule, f.Where, f.What) }

// Report is what was found.
type Report struct {
	Faults []Fault
	Events []Event // the log, as far as it could be read
	Cards  map[string]Card
	Torn   int      // lines that are no JSON
	Aside  []string // files that the store could not read and moved aside
}

// Check examines the store whose dispatcher folder is dir.
func Check(dir string, o Options) Report {
	c := &check{dir: dir, o: o}
	c.Cards = map[string]Card{}
	c.readCards()
	c.readLog()
	c.readBoard()
	c.leftovers()
	c.cycles()
	c.replay()
	return c.Report
}

// Whole fails the test for each fault of the store, and returns the report.
func Whole(t testing.TB, dir string, o Options) Report {
	t.Helper()
	r := Check(dir, o)
	for n, f := range r.Faults {
		if n == 20 {
			t.Errorf("and %d faults more", len(r.Faults)-n)
			break
		}
		t.Error(f)
	}
	return r
}

type check struct {
	Report
	dir     string
	o       Options
	columns map[string]bool
	board   boardFile
}

func (c *check) fault(rule, where, format string, args ...any) {
	c.Faults = append(c.Faults, Fault{rule, where, fmt.Sprintf(format, args...)})
}

package doctor

import (
	"cmp"
	"slices"
	"time"
)

// Severity says how much a finding matters.
type Severity string

// The severities. A store with nothing but notes is healthy.
const (
	Error   Severity = "error"   // something does not work, or is about to be lost
	Warning Severity = "warning" // something is not as it should be
	Note    Severity = "note"    // worth knowing
)

// Finding is one thing that was found.
type Finding struct {
	ID       string   `json:"id"` // stable slug of the check
	Severity Severity `json:"severity"`
	What     string   `json:"what"`    // what is wrong, one sentence without a full stop
	Where    string   `json:"where"`   // a path, a card, a kernel setting
	Means    string   `json:"means"`   // what follows from it
	Remedy   string   `json:"remedy"`  // what fixing does, or what a person should do
	Fixable  bool     `json:"fixable"` // Fix mends it

	order order
	fix   func(*mender) error
}

// order is when in a Fix a finding is mended: what a later one looks at has been
// settled by then.
type order int

const (
	byOwner order = iota // gives the owner back what may not be read; without a lock
	byLock               // whoever takes the writer lock mends it
	byFiles              // moves or opens files
	byLog                // rewrites the log
	byTell               // tells the log what the files say
)

// Report is the result of an examination.
type Report struct {
	Store    string    `json:"store"`
	At       time.Time `json:"at"`
	Cards    int       `json:"cards"`
	Events   int       `json:"events"`
	Findings []Finding `json:"findings"` // the worst first
}

// Healthy reports whether nothing worse than notes was found.
func (r Report) Healthy() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity != Note })
}

// Fixable reports whether Fix has something to do.
func (r Report) Fixable() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Fixable })
}

// Sort brings the findings into their order: the worst first, then by check and
// place.
func Sort(all []Finding) {
	rank := map[Severity]int{Error: 0, Warning: 1, Note: 2}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(rank[a.Severity]-rank[b.Severity], cmp.Compare(a.ID, b.ID), cmp.Compare(a.Where, b.Where))
	})
}

// mended makes a finding one that Fix mends.
func (f Finding) mended(o order, fix func(*mender) error) Finding {
	f.Fixable, f.order, f.fix = true, o, fix
	return f
}

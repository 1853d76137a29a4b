package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"iterion/native/spend"
)

// spending looks at every day of the ledger, and at the cap. What a day held cannot
// be made up, and a day moved aside would lift its cap, so that is left to a person.
func (x *exam) spending() {
	ledger := spend.Open(x.l.Root, spend.Options{})
	_, err := ledger.Days("0000", "9999")
	for _, err := range joined(err) {
		var bad *spend.UnreadableError
		if errors.As(err, &bad) {
			x.day(bad)
		}
	}
	var bad *spend.UnreadableError
	if errors.As(ledger.Gate(x.now), &bad) && filepath.Dir(bad.Path) == x.l.Dispatcher() {
		x.shut(bad, Finding{ID: "cap-unreadable", Severity: Error,
			What:   fmt.Sprintf("the cap of the day's spending cannot be read: %v", bare(bad.Err)),
			Means:  "there might be a cap, so nothing starts",
			Remedy: "start `iterion daemon`, which writes the file anew"})
	}
}

func (x *exam) day(bad *spend.UnreadableError) {
	f := Finding{ID: "spend-unreadable", Severity: Warning,
		What:   fmt.Sprintf("a day's spending cannot be read: %v", bare(bad.Err)),
		Means:  "runs that are older than that day cannot add what they cost to the ledger",
		Remedy: "mend it by hand or put it back from a backup; once it is moved away, the day counts as one without costs"}
	if filepath.Base(bad.Path) == spend.DayOf(x.now)+".json" {
		f.Severity, f.Means = Error, "no run can add what it costs, and while a cap is set nothing starts"
	}
	x.shut(bad, f)
}

// shut tells of a file of the ledger.
func (x *exam) shut(bad *spend.UnreadableError, f Finding) {
	f.Where = bad.Path
	if errors.Is(bad.Err, fs.ErrPermission) {
		f = x.opening(f, bad.Path)
	}
	x.found(f)
}

// joined are the errors that were joined to one. The tree tells of a folder that
// cannot be read, which is an error by itself.
func joined(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()
	}
	return nil
}

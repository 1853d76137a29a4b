package doctor

import (
	"fmt"
	"path/filepath"

	"iterion/native/filelock"
	"iterion/native/run"
)

// runs tells of runs whose record cannot be read. Whose bot has died and who has
// to be settled is the daemon's business.
func (x *exam) runs() {
	all, err := run.Open(x.l.Runs(), run.Options{}).List(run.Query{})
	if err != nil {
		return // the tree tells of a folder that cannot be read
	}
	for _, b := range all.Broken {
		x.found(Finding{ID: "run-unreadable", Severity: Warning, Where: filepath.Join(x.l.Runs(), b.ID),
			What:   fmt.Sprintf("the run's record cannot be read: %v", b.Err),
			Means:  "its card is held: nobody can say whether the run is at work",
			Remedy: "mend run.json by hand; once the folder is moved away, its card counts as given up"})
	}
	for _, r := range all.Records {
		x.newest.see(r.CreatedAt, "run "+run.Short(r.ID))
		x.newest.see(r.FinishedAt, "run "+run.Short(r.ID))
	}
}

func (x *exam) stagingHeld(dir string) bool {
	held, err := filelock.Probe(filepath.Join(dir, run.LockFile))
	return held || err != nil
}

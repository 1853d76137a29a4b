package supervise

import (
	"path/filepath"

	"iterion/native/proctree"
	"iterion/native/run"
)

// apart reports whether a process is the supervisor of a run of its own, which is
// no part of the tree that it was started from. Its command line says which run,
// and the record of that run must name this very process, or be waiting for it: a
// bot cannot escape by its name alone.
func apart(p proctree.Process) bool {
	argv, err := proctree.Argv(p.PID)
	if err != nil || len(argv) != 3 || argv[1] != Command {
		return false
	}
	runs, id := run.Open(filepath.Dir(argv[2]), run.Options{}), filepath.Base(argv[2])
	rec, err := runs.Get(id)
	if err != nil {
		return false
	}
	if rec.Owner == nil {
		held, err := runs.Locked(id)
		return err == nil && held && rec.Status == run.Queued
	}
	now, err := proctree.Identify(p.PID)
	return err == nil && run.Owner(now) == *rec.Owner
}

package proctree

import "slices"

// Process is one row of the process table.
type Process struct {
	PID     int
	Parent  int
	Group   int
	Session int
	Start   int64 // as in Identity
	Dead    bool  // a zombie: it runs no more and only waits to be reaped
}

// Find returns the processes that somebody means to end.
type Find func() ([]Process, error)

// Descendants returns what descends from root, without root, the dead left out.
// A process for which apart says true is left out together with all that descends
// from it; apart may be nil.
func Descendants(root int, apart func(Process) bool) ([]Process, error) {
	all, err := table()
	if err != nil {
		return nil, err
	}
	return below(all, []int{root}, apart), nil
}

// below walks down from the roots, which are not in the result themselves.
func below(all []Process, roots []int, apart func(Process) bool) []Process {
	children := make(map[int][]Process, len(all))
	for _, p := range all {
		children[p.Parent] = append(children[p.Parent], p)
	}
	seen := map[int]bool{}
	for _, r := range roots {
		seen[r] = true
	}
	var found []Process
	for next := slices.Clone(roots); len(next) > 0; next = next[1:] {
		for _, p := range children[next[0]] {
			if seen[p.PID] || (apart != nil && !p.Dead && apart(p)) {
				continue
			}
			seen[p.PID] = true
			next = append(next, p.PID)
			if !p.Dead {
				found = append(found, p)
			}
		}
	}
	return found
}

// Orphans returns the living processes that mine says belong to a tree whose root
// is gone, and all that descends from them, except what apart sets apart.
func Orphans(mine, apart func(Process) bool) ([]Process, error) {
	all, err := table()
	if err != nil {
		return nil, err
	}
	var found []Process
	var roots []int
	for _, p := range all {
		if !p.Dead && mine(p) && (apart == nil || !apart(p)) {
			found = append(found, p)
			roots = append(roots, p.PID)
		}
	}
	return append(found, below(all, roots, apart)...), nil
}

// BySession says yes to the members of the session that leader opened. A session
// number that was reused by a stranger is told apart by the leader's start time.
func BySession(leader Identity) func(Process) bool {
	return func(p Process) bool {
		if p.Session != leader.PID || p.Start < leader.Start {
			return false
		}
		now, err := look(leader.PID)
		return err != nil || now.Start == leader.Start
	}
}

package proctree

import (
	"golang.org/x/sys/unix"
)

// Reaper collects the dead children of the calling process.
type Reaper struct {
	// Main receives the status of the child that matters, once.
	Main <-chan unix.WaitStatus
	// Empty is closed when the process has no child left, and so no descendant.
	Empty <-chan struct{}
}

// Reap starts to collect every child that dies; main is the pid whose status
// matters. Nothing else in the process may wait for children from here on. Its
// goroutine ends when no child is left.
func Reap(main int) *Reaper {
	status, empty := make(chan unix.WaitStatus, 1), make(chan struct{})
	go func() {
		defer close(empty)
		for {
			var ws unix.WaitStatus
			pid, err := unix.Wait4(-1, &ws, 0, nil)
			if err == unix.EINTR {
				continue
			}
			if err != nil { // ECHILD
				return
			}
			if pid == main {
				status <- ws
			}
		}
	}()
	return &Reaper{Main: status, Empty: empty}
}

package proctree

import "golang.org/x/sys/unix"

// signalByPID is what is left where there is no pidfd: check, then signal. The
// gap between the two is some microseconds.
func signalByPID(p Process, sig unix.Signal) error {
	if now, err := look(p.PID); err != nil || now.Start != p.Start {
		return unix.ESRCH
	}
	return unix.Kill(p.PID, sig)
}

package proctree

import (
	"errors"
	"os"
)

// ErrGone says that no such process exists.
var ErrGone = errors.New("no such process")

// ErrElsewhere says that an identity belongs to another machine, so that nothing
// can be said of it here.
var ErrElsewhere = errors.New("process belongs to another host")

// Identity names one process for good.
type Identity struct {
	HostID string
	BootID string
	PID    int
	Start  int64 // kernel start time: clock ticks since boot on Linux, microseconds since 1970 on macOS
}

// Self returns the identity of the calling process.
func Self() (Identity, error) { return Identify(os.Getpid()) }

// Identify returns the identity of a process of this machine, or ErrGone.
func Identify(pid int) (Identity, error) {
	p, err := look(pid)
	if err != nil {
		return Identity{}, err
	}
	return Identity{HostID: hostID(), BootID: bootID(), PID: pid, Start: p.Start}, nil
}

// Alive reports whether the very process that id names still runs. A zombie does
// not. ErrElsewhere when id is of another machine: a boot id decides, for it is
// unique over machines and survives a changed host name; a different one with the
// same host id means that the machine was rebooted and the process is gone.
func (id Identity) Alive() (bool, error) {
	if id.PID <= 0 {
		return false, nil
	}
	here, err := id.ThisBoot()
	if err != nil || !here {
		return false, err
	}
	p, err := look(id.PID)
	if errors.Is(err, ErrGone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return p.Start == id.Start && !p.Dead, nil
}

// ThisBoot reports whether id is of the present boot of this machine. False
// without an error means an earlier boot, all of whose processes are gone.
func (id Identity) ThisBoot() (bool, error) {
	if id.BootID == bootID() {
		return true, nil
	}
	if id.HostID != hostID() {
		return false, ErrElsewhere
	}
	return false, nil
}

package proctree

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

var hostID = sync.OnceValue(func() string {
	if id, err := unix.Sysctl("kern.uuid"); err == nil {
		return id
	}
	name, _ := os.Hostname()
	return name
})

var bootID = sync.OnceValue(func() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
})

func look(pid int) (Process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EIO) || (err == nil && int(k.Proc.P_pid) != pid) {
		return Process{}, ErrGone
	}
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return row(k), nil
}

// row leaves Session empty: the table holds a kernel address in its place.
func row(k *unix.KinfoProc) Process {
	return Process{
		PID: int(k.Proc.P_pid), Parent: int(k.Eproc.Ppid), Group: int(k.Eproc.Pgid),
		Start: k.Proc.P_starttime.Sec*1e6 + int64(k.Proc.P_starttime.Usec),
		Dead:  k.Proc.P_stat == zombie,
	}
}

func table() ([]Process, error) {
	rows, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	all := make([]Process, 0, len(rows))
	for i := range rows {
		all = append(all, row(&rows[i]))
	}
	return all, nil
}

// ByEnviron says no to all: macOS does not show the environment of others.
func ByEnviron(name, value string) func(Process) bool {
	return func(Process) bool { return false }
}

// Argv is not available on macOS without cgo; the error says so.
func Argv(pid int) ([]string, error) {
	return nil, fmt.Errorf("read command line of process %d: %w", pid, errors.ErrUnsupported)
}

// BecomeSubreaper does nothing: macOS hands every orphan to launchd.
func BecomeSubreaper() error { return nil }

func signal(p Process, sig unix.Signal) error { return signalByPID(p, sig) }

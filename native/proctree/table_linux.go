package proctree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// hostID is the machine id, which outlives a change of the host name. Where there
// is none (small containers) the host name has to do.
var hostID = sync.OnceValue(func() string {
	for _, f := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if b, err := os.ReadFile(f); err == nil && len(bytes.TrimSpace(b)) > 0 {
			return string(bytes.TrimSpace(b))
		}
	}
	name, _ := os.Hostname()
	return name
})

var bootID = sync.OnceValue(func() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(bytes.TrimSpace(b))
})

// look reads one row of the process table.
func look(pid int) (Process, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if gone(err) {
		return Process{}, ErrGone
	}
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return parseStat(pid, b)
}

// A process that ends between open and read shows as ESRCH.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH)
}

// parseStat reads /proc/<pid>/stat, see proc_pid_stat(5). The second field holds
// the program's name in brackets and may hold any byte, brackets too, so the rest
// is counted from the last bracket.
func parseStat(pid int, b []byte) (Process, error) {
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return Process{}, fmt.Errorf("read process %d: malformed stat", pid)
	}
	f := strings.Fields(string(b[i+1:])) // f[0] is field 3
	if len(f) < 20 {
		return Process{}, fmt.Errorf("read process %d: short stat", pid)
	}
	num := func(field int) int64 { n, _ := strconv.ParseInt(f[field-3], 10, 64); return n }
	// A leader that ended before its threads shows as a zombie, yet runs.
	dead := (f[0] == "Z" && num(20) <= 1) || f[0] == "X"
	return Process{PID: pid, Parent: int(num(4)), Group: int(num(5)), Session: int(num(6)), Start: num(22), Dead: dead}, nil
}

// table reads the whole process table. It is not a snapshot: what is born or
// re-parented meanwhile may be missing, so callers look again.
func table() ([]Process, error) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	all := make([]Process, 0, len(names))
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil {
			continue
		}
		p, err := look(pid)
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// ByEnviron says yes to processes that were started with name=value in their
// environment. Those of other users cannot be read and are not ours.
func ByEnviron(name, value string) func(Process) bool {
	want := []byte(name + "=" + value)
	return func(p Process) bool {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/environ")
		if err != nil {
			return false
		}
		for entry := range bytes.SplitSeq(b, []byte{0}) {
			if bytes.Equal(entry, want) {
				return true
			}
		}
		return false
	}
}

// Argv returns the command line of a process.
func Argv(pid int) ([]string, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil, fmt.Errorf("read command line of process %d: %w", pid, err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), nil
}

// BecomeSubreaper makes the calling process the one to which orphans among its
// descendants are handed.
func BecomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become subreaper: %w", err)
	}
	return nil
}

// signal sends sig to the very process p, never to one that took its number.
func signal(p Process, sig unix.Signal) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return signalByPID(p, sig)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if now, err := look(p.PID); err != nil || now.Start != p.Start {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

package supervise

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"

	"golang.org/x/sys/unix"

	"iterion/native/filelock"
	"iterion/native/run"
)

// lockFD is the descriptor on which a supervisor receives its run's lock.
const lockFD = 3

// Main is the supervisor of one run: args is the run's folder, after the word
// Command. It is no command for people; the program goes here before it builds
// anything else. The result is the exit code of the process.
func Main(args []string) int {
	unix.CloseOnExec(lockFD)
	closeStrays()
	staySmall()
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "iterion supervise is started by iterion itself")
		return 2
	}
	s, err := adopt(args[0])
	if err == nil {
		err = s.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// memoryLimit is what the runtime is to get along with. What a supervisor holds
// for long is far less; it is the garbage of busy times that counts.
const memoryLimit = 12 << 20

// staySmall trades time for memory: there is one supervisor for each run, and it
// has little to do. Who tunes the runtime by its own variables is left alone.
func staySmall() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// closeStrays closes what the launcher had inherited itself without wanting it,
// such as a descriptor of the shell that started it: held for the length of a run
// it would keep somebody's pipe open. Descriptors of this process are all
// close-on-exec, strays cannot be.
func closeStrays() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= lockFD {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}

// adopt takes over a run from its launcher.
func adopt(runDir string) (*supervisor, error) {
	lock, err := filelock.FromFD(lockFD, filepath.Join(runDir, run.LockFile))
	if err != nil {
		return nil, err
	}
	p, err := readPlan(runDir)
	if err != nil {
		return nil, err
	}
	s := &supervisor{
		dir: runDir, lock: lock, plan: p, urgent: make(chan struct{}, 1),
		runs: run.Open(filepath.Dir(runDir), run.Options{NoFsync: p.NoFsync}),
	}
	s.rec, err = s.runs.Get(filepath.Base(runDir))
	return s, err
}

package supervise

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/proctree"
	"iterion/native/run"
)

// waitExit waits until the supervisor exits, at most as long as said. A pidfd tells
// of the exit of any process, child or not, the moment it happens. The wait ends
// now and again even so: a final record may come before the exit.
func waitExit(ctx context.Context, owner *run.Owner, most time.Duration) error {
	wait, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if f := watched(owner); f != nil {
		defer f.Close()
		stop := context.AfterFunc(wait, func() { _ = f.SetReadDeadline(time.Now()) })
		defer stop()
		untilReadable(f)
	} else {
		<-wait.Done()
	}
	return ctx.Err()
}

// watched opens a pidfd of the very process that owner names; nil when it is gone
// or unknown.
func watched(owner *run.Owner) *os.File {
	if owner == nil {
		return nil
	}
	id := proctree.Identity(*owner)
	if here, err := id.ThisBoot(); err != nil || !here {
		return nil
	}
	fd, err := unix.PidfdOpen(id.PID, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	if alive, err := id.Alive(); err != nil || !alive {
		f.Close()
		return nil
	}
	return f
}

// untilReadable blocks until f can be read or its deadline has come. It reads
// nothing: the runtime waits whenever the function says no.
func untilReadable(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	woken := false
	_ = raw.Read(func(uintptr) bool { was := woken; woken = true; return was })
}

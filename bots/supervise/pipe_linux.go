package supervise

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen asks for a larger pipe. A user may have only so much of them in all, and
// the usual size does as well.
func widen(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
}

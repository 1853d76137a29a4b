//go:build unix

package tui

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// readReply reads what a terminal answers until it has answered the last
// question or the time is up. It waits by poll, since a read of a terminal
// cannot be given up.
func readReply(tty *os.File, limit time.Duration) string {
	var reply strings.Builder
	deadline := time.Now().Add(limit)
	buf := make([]byte, 256)
	for {
		left := time.Until(deadline)
		fds := []unix.PollFd{{Fd: int32(tty.Fd()), Events: unix.POLLIN}}
		if n, err := unix.Poll(fds, int(max(0, left.Milliseconds()))); err == unix.EINTR {
			continue
		} else if err != nil || n == 0 || fds[0].Revents&unix.POLLIN == 0 {
			return reply.String()
		}
		n, err := tty.Read(buf)
		if err != nil {
			return reply.String()
		}
		reply.Write(buf[:n])
		if s := reply.String(); strings.Contains(s, "\x1b[?") && strings.HasSuffix(s, "c") {
			return s
		}
	}
}

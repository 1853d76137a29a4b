//go:build !linux

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// inputQueue is FREAD of <sys/fcntl.h>: the queue of what was typed.
const inputQueue = 1

// flushTyped throws away what was typed on a terminal and not read yet. Where that
// cannot be done, it is read.
func flushTyped(terminal *os.File) {
	_ = unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCFLUSH, inputQueue)
}

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushTyped throws away what was typed on a terminal and not read yet. Where that
// cannot be done, it is read.
func flushTyped(terminal *os.File) {
	_ = unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}

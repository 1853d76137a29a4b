package supervise

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// stirs receives soon after something in a folder was put in place or written and
// closed. It is nil where the system has no watch to give; looking now and then is
// the net in any case, also for what is appended by a file that stays open. The
// watch lasts as long as the process.
func stirs(dir string) <-chan struct{} {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "inotify")
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_MOVED_TO|unix.IN_CLOSE_WRITE|unix.IN_MOVE_SELF|unix.IN_DELETE_SELF); err != nil {
		f.Close()
		return nil
	}
	stirred := make(chan struct{}, 1)
	go func() {
		defer f.Close()
		buf := make([]byte, 4096)
		for {
			if _, err := f.Read(buf); err != nil {
				return
			}
			select {
			case stirred <- struct{}{}:
			default:
			}
			time.Sleep(stirEvery) // many at once are one
		}
	}()
	return stirred
}

package native

import (
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
)

// suspension puts off ctrl-z while a writer lock of this process is held.
//
// A Go program that once asked for SIGTSTP never gets the default action back,
// so the handler stays for the life of the process and stops it by SIGSTOP,
// which looks the same to the shell.
var suspension suspender

type suspender struct {
	once   sync.Once
	locked sync.RWMutex // held for reading by each holder of a writer lock
}

// hold puts stops off until the returned function is called.
func (s *suspender) hold() (release func()) {
	s.once.Do(s.install)
	s.locked.RLock()
	return s.locked.RUnlock
}

// install does nothing without a terminal (nobody can press ctrl-z) and where
// the parent told us to ignore the key.
func (s *suspender) install() {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY, 0)
	if err != nil {
		return
	}
	tty.Close()
	if signal.Ignored(unix.SIGTSTP) {
		return
	}
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, unix.SIGTSTP)
	go func() {
		for range stops {
			s.locked.Lock()
			_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
			s.locked.Unlock()
		}
	}()
}

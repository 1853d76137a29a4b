package filelock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// DefaultWait is how long Acquire waits when Options.Wait is zero.
const DefaultWait = 5 * time.Second

// probeGrace bounds how long a taker lets probers pass. On a busy machine one may
// be put to sleep between its two calls.
const probeGrace = time.Second

// Options tune Acquire.
type Options struct {
	Wait   time.Duration // 0 means DefaultWait
	Shared bool          // take a shared lock, and write no holder into the file
}

// Lock is a lock that is held.
type Lock struct {
	f *os.File
}

// Acquire waits for the lock on path, making the file when it is missing. When
// the wait is over it returns a *HeldError; when ctx ends first, ctx's error.
func Acquire(ctx context.Context, path string, o Options) (*Lock, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	if err := wait(ctx, f, o); err != nil {
		f.Close()
		return nil, err
	}
	return taken(f, o.Shared)
}

// TryAcquire takes the lock exclusively or returns a *HeldError at once.
// Probers that are in the way are waited for.
func TryAcquire(path string) (*Lock, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	if err := takePastProbers(f); err != nil {
		f.Close()
		return nil, err
	}
	return taken(f, false)
}

// FromFD adopts a lock that another process took and handed down as descriptor
// fd. It checks that the descriptor really carries the lock of path.
func FromFD(fd uintptr, path string) (*Lock, error) {
	unix.CloseOnExec(int(fd))
	f := os.NewFile(fd, path)
	if f == nil {
		return nil, fmt.Errorf("adopt lock %s: descriptor %d is not open", path, fd)
	}
	if err := adopt(f, path); err != nil {
		f.Close()
		return nil, fmt.Errorf("adopt lock %s: %w", path, err)
	}
	return taken(f, false)
}

func adopt(f *os.File, path string) error {
	ours, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(ours, named) {
		return errors.New("the descriptor belongs to another file")
	}
	// Taking a lock that this open file description holds already succeeds.
	return takePastProbers(f)
}

// File returns the open file that carries the lock, to be handed to a child.
func (l *Lock) File() *os.File { return l.f }

// Release unlocks, for every process that shares this lock.
func (l *Lock) Release() error {
	err := flock(l.f, unix.LOCK_UN)
	return errors.Join(err, l.f.Close())
}

// Detach closes this process's copy of a lock that was handed over, without
// unlocking it.
func (l *Lock) Detach() error { return l.f.Close() }

// Probe reports whether somebody holds path exclusively. A file that does not
// exist is not held.
func Probe(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("probe lock: %w", err)
	}
	defer f.Close()
	err = flock(f, unix.LOCK_SH|unix.LOCK_NB)
	if busy(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("probe lock %s: %w", path, err)
	}
	return false, nil
}

func open(path string) (*os.File, error) {
	// os.OpenFile sets O_CLOEXEC.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	return f, nil
}

func taken(f *os.File, shared bool) (*Lock, error) {
	if shared {
		return &Lock{f}, nil
	}
	if err := writeHolder(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("name the holder in %s: %w", f.Name(), err)
	}
	return &Lock{f}, nil
}

// wait queues in the kernel, which wakes the next taker the moment the lock is
// free and keeps them in their order. When the time is over the queue is left to
// itself, see queued.
func wait(ctx context.Context, f *os.File, o Options) error {
	limit := o.Wait
	if limit == 0 {
		limit = DefaultWait
	}
	how := unix.LOCK_EX
	if o.Shared {
		how = unix.LOCK_SH
	}
	if err := flock(f, how|unix.LOCK_NB); !busy(err) {
		return act(f, err)
	}
	got, err := queued(f, how)
	if err != nil {
		return act(f, err)
	}
	over := time.NewTimer(limit)
	defer over.Stop()
	select {
	case err := <-got:
		return act(f, err)
	case <-over.C:
		return held(f)
	case <-ctx.Done():
		return fmt.Errorf("wait for lock %s: %w", f.Name(), ctx.Err())
	}
}

// queued waits for the lock on a second descriptor of the same open file and says
// so on the channel. No wait of the kernel's can be called off: one whose taker
// has closed f takes the lock in the end, and lets go of it at once, since the
// second descriptor is then the last.
func queued(f *os.File, how int) (<-chan error, error) {
	second, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	got := make(chan error, 1)
	go func() {
		err := flockFD(second, how)
		got <- err
		_ = unix.Close(second)
	}()
	return got, nil
}

func takePastProbers(f *os.File) error {
	for began := time.Now(); ; {
		err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
		if !busy(err) {
			return act(f, err)
		}
		err = flock(f, unix.LOCK_SH|unix.LOCK_NB)
		if busy(err) || time.Since(began) > probeGrace {
			return held(f)
		}
		if err != nil {
			return act(f, err)
		}
		// Nobody owns it. Do not be a prober to others while we wait.
		if err := flock(f, unix.LOCK_UN); err != nil {
			return act(f, err)
		}
		pause()
	}
}

func act(f *os.File, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("lock %s: %w", f.Name(), err)
}

// pause lasts about a tenth of a millisecond. It is uneven, so that two takers do
// not keep step with each other. The system's own sleep is used because timers
// here tick in milliseconds.
func pause() {
	const about = 100 * time.Microsecond
	tv := unix.NsecToTimeval(int64(about/2 + rand.N(about)))
	_, _ = unix.Select(0, nil, nil, nil, &tv) // cut short by a signal: asked again sooner
}

func flock(f *os.File, how int) error { return flockFD(int(f.Fd()), how) }

func flockFD(fd, how int) error {
	for {
		err := unix.Flock(fd, how)
		if err != unix.EINTR {
			return err
		}
	}
}

func busy(err error) bool { return errors.Is(err, unix.EWOULDBLOCK) }

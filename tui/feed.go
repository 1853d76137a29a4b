package tui

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
)

// Messages of the feed.
type (
	connected struct{ source Source }
	framed    struct{ frame control.Frame }
	lost      struct {
		err   error
		retry time.Time
	}
	noStore struct{}
	// broken ends the program: the feed itself failed.
	broken struct{ err error }
)

// Waits between attempts to connect.
const (
	retryFirst = 200 * time.Millisecond
	retryMax   = 5 * time.Second
)

// feed connects and watches until ctx ends, and hands what happens to send. It
// returns once nothing of it runs any more. A daemon may be started until one was
// seen, and after that only when the person asks: one that is gone again was
// ended by somebody, for a reason.
func feed(ctx context.Context, connect Connect, again <-chan struct{}, send func(tea.Msg)) {
	defer func() {
		if r := recover(); r != nil {
			send(broken{panicked("watch the daemon", r)})
		}
	}()
	wait, start := retryFirst, true
	for ctx.Err() == nil {
		seen, err := watchOnce(ctx, connect, start, send)
		if seen {
			wait, start = retryFirst, false
		}
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, ErrNoStore) {
			send(noStore{})
			pause(ctx, again, time.Hour)
			continue
		}
		send(lost{err: err, retry: time.Now().Add(wait)})
		if pause(ctx, again, wait) {
			start = true
		}
		wait = min(2*wait, retryMax)
	}
}

// watchOnce lives through one connection; seen tells whether a frame came.
func watchOnce(ctx context.Context, connect Connect, start bool, send func(tea.Msg)) (seen bool, err error) {
	src, err := connect(ctx, start)
	if err != nil {
		return false, err
	}
	send(connected{src})
	err = src.Watch(ctx, func(f control.Frame) error {
		seen = true
		send(framed{f})
		return nil
	})
	if err == nil {
		err = errors.New("the daemon has ended")
	}
	return seen, err
}

// pause waits, but not when somebody asks to try again at once; it tells whether
// somebody did.
func pause(ctx context.Context, again <-chan struct{}, d time.Duration) (asked bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-again:
		return true
	case <-t.C:
	}
	return false
}

package watchdog

import (
	"context"
	"log/slog"
	"time"
)

const (
	// every is how often it sweeps.
	every = time.Minute
	// recoveryLease is longer than one card may take, and shorter than the time to
	// the next sweep, which then finds what was left of this one.
	recoveryLease = 45 * time.Second
	perCard       = 30 * time.Second
	// longestNap bounds a timer: what must hold over a suspended machine goes by the
	// wall clock.
	longestNap = 30 * time.Second
)

// Watchdog sweeps one store. See the package comment.
type Watchdog struct {
	o      Options
	leases Leases
	log    *slog.Logger
}

// New returns a watchdog that does nothing before Run.
func New(o Options) *Watchdog {
	w := &Watchdog{o: o, log: o.Log}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	w.leases, _ = o.Board.(Leases)
	return w
}

// Run sweeps at once and then every minute until ctx ends.
func (w *Watchdog) Run(ctx context.Context) error {
	if w.leases == nil {
		w.log.Warn("the watchdog stays off: claims in this store have no leases")
		<-ctx.Done()
		return nil
	}
	for ctx.Err() == nil {
		w.sweep(ctx)
		nap(ctx, every)
	}
	return nil
}

// nap waits by the wall clock. A clock that was set back does not prolong it.
func nap(ctx context.Context, d time.Duration) {
	until := time.Now().Round(0).Add(d)
	for left := d; left > 0 && left <= d; left = until.Sub(time.Now().Round(0)) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(left, longestNap)):
		}
	}
}

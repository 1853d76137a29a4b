package daemon

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"iterion/daemon/dispatch"
)

// gateActor is who pauses and resumes in the name of the trust gate. Its pauses
// are not the operator's and are never written to the store, which is the very
// thing that is not trusted.
const gateActor = "trust"

// How often the list of trusted stores is looked at.
const (
	lookUntrusted = 250 * time.Millisecond
	lookTrusted   = 2 * time.Second
)

// trustGate holds the dispatcher paused while the store is not trusted on this
// host, on top of what the operator wants.
type trustGate struct {
	dispatch.Intent                      // the operator's
	look            func() (bool, error) // is the store trusted now
	storeDir        string
	log             *slog.Logger
	open            atomic.Bool
}

// check looks once and remembers the answer. A list that cannot be read trusts
// nobody.
func (g *trustGate) check() bool {
	trusted, err := g.look()
	if err != nil {
		g.log.Warn("list of trusted stores cannot be read", "err", err)
	}
	g.open.Store(trusted)
	return trusted
}

func (g *trustGate) reason() string {
	return "the store " + g.storeDir + " was never trusted on this host; `iterion trust` lets its bots run"
}

// Load returns the operator's intent, or a pause of the gate's own.
func (g *trustGate) Load(ctx context.Context) (dispatch.Desired, error) {
	if g.open.Load() {
		return g.Intent.Load(ctx)
	}
	return dispatch.Desired{Desired: dispatch.DesiredPaused, Reason: g.reason(), By: gateActor, At: time.Now().UTC()}, nil
}

// Save keeps what the operator wants, and nothing of the gate's own.
func (g *trustGate) Save(ctx context.Context, d dispatch.Desired) error {
	if d.By == gateActor {
		return nil
	}
	return g.Intent.Save(ctx, d)
}

// pauser is the part of the dispatcher that the gate moves.
type pauser interface {
	Pause(ctx context.Context, reason, by string) error
	Unpause(ctx context.Context, by string) error
}

// Run follows the list of trusted stores until ctx ends. told is called after
// each change.
func (g *trustGate) Run(ctx context.Context, d pauser, told func()) error {
	for {
		was := g.open.Load()
		wait := lookUntrusted
		if was {
			wait = lookTrusted
		}
		if !sleep(ctx, wait) {
			return nil
		}
		if now := g.check(); now != was {
			g.turn(ctx, d, now)
			told()
		}
	}
}

// turn opens or closes the gate. An operator's pause outlives an opening.
func (g *trustGate) turn(ctx context.Context, d pauser, trusted bool) {
	var err error
	if !trusted {
		g.log.Warn("store is no longer trusted, dispatch pauses")
		err = d.Pause(ctx, g.reason(), gateActor)
	} else if want, lerr := g.Intent.Load(ctx); lerr != nil {
		err = lerr
	} else if want.Desired == dispatch.DesiredPaused {
		err = d.Pause(ctx, want.Reason, want.By)
	} else {
		g.log.Info("store is trusted now, dispatch begins")
		err = d.Unpause(ctx, gateActor)
	}
	if err != nil && ctx.Err() == nil {
		g.log.Error("follow the store's trust", "err", err)
		g.open.Store(!trusted) // look again, try again
	}
}

// sleep reports whether d passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

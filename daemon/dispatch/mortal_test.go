package dispatch

import (
	"context"
	"time"

	"iterion/native/board"
)

// The mortal ports reach the world only while their process lives.

type mortalBoard struct {
	Board
	gate func() error
}

func (m mortalBoard) Schema(ctx context.Context) (board.Schema, error) {
	return guarded(m.gate, func() (board.Schema, error) { return m.Board.Schema(ctx) })
}

func (m mortalBoard) Get(ctx context.Context, id string) (board.Issue, error) {
	return guarded(m.gate, func() (board.Issue, error) { return m.Board.Get(ctx, id) })
}

func (m mortalBoard) List(ctx context.Context, q board.Query) (board.Listing, error) {
	return guarded(m.gate, func() (board.Listing, error) { return m.Board.List(ctx, q) })
}

func (m mortalBoard) Claim(ctx context.Context, id, marker string, lease time.Duration, by board.Cause) (board.Issue, error) {
	return guarded(m.gate, func() (board.Issue, error) { return m.Board.Claim(ctx, id, marker, lease, by) })
}

func (m mortalBoard) Renew(ctx context.Context, id string, f board.Fence, lease time.Duration) error {
	if err := m.gate(); err != nil {
		return err
	}
	return m.Board.Renew(ctx, id, f, lease)
}

func (m mortalBoard) Release(ctx context.Context, id string, f board.Fence, by board.Cause) (board.Issue, error) {
	return guarded(m.gate, func() (board.Issue, error) { return m.Board.Release(ctx, id, f, by) })
}

func (m mortalBoard) SetState(ctx context.Context, id string, f board.Fence, s board.Filing, by board.Cause) (board.Issue, error) {
	return guarded(m.gate, func() (board.Issue, error) { return m.Board.SetState(ctx, id, f, s, by) })
}

func (m mortalBoard) SetLastRun(ctx context.Context, id string, f board.Fence, r board.RunRef, by board.Cause) (board.Issue, error) {
	return guarded(m.gate, func() (board.Issue, error) { return m.Board.SetLastRun(ctx, id, f, r, by) })
}

func (m mortalBoard) SetAwaitingInput(ctx context.Context, id string, f board.Fence, on bool, by board.Cause) (board.Issue, error) {
	return guarded(m.gate, func() (board.Issue, error) { return m.Board.SetAwaitingInput(ctx, id, f, on, by) })
}

func (m mortalBoard) SetGaveUp(ctx context.Context, id string, f board.Fence, g board.GaveUp, by board.Cause) (board.Issue, error) {
	return guarded(m.gate, func() (board.Issue, error) { return m.Board.SetGaveUp(ctx, id, f, g, by) })
}

func guarded[T any](gate func() error, call func() (T, error)) (T, error) {
	if err := gate(); err != nil {
		var zero T
		return zero, err
	}
	return call()
}

type mortalRuns struct {
	*fakeRuns
	gate func() error
}

func (m mortalRuns) Launch(ctx context.Context, l Launch) error {
	if err := m.gate(); err != nil {
		return err
	}
	return m.fakeRuns.Launch(ctx, l)
}

func (m mortalRuns) Resume(ctx context.Context, r Resume) error {
	if err := m.gate(); err != nil {
		return err
	}
	return m.fakeRuns.Resume(ctx, r)
}

func (m mortalRuns) Stop(ctx context.Context, id, verb, by, note string) error {
	if err := m.gate(); err != nil {
		return err
	}
	return m.fakeRuns.Stop(ctx, id, verb, by, note)
}

type mortalJournal struct {
	*memJournal
	gate func() error
}

func (m mortalJournal) Put(ctx context.Context, e JournalEntry) error {
	if err := m.gate(); err != nil {
		return err
	}
	return m.memJournal.Put(ctx, e)
}

func (m mortalJournal) Remove(ctx context.Context, id, owner, marker string) error {
	if err := m.gate(); err != nil {
		return err
	}
	return m.memJournal.Remove(ctx, id, owner, marker)
}

type mortalLedger struct {
	*memLedger
	gate func() error
}

func (m mortalLedger) Save(ctx context.Context, entries map[string]RetryEntry) error {
	if err := m.gate(); err != nil {
		return err
	}
	return m.memLedger.Save(ctx, entries)
}

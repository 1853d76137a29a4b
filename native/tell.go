package native

import (
	"context"
	"errors"
	"fmt"

	"iterion/native/board"
	"iterion/native/jsonl"
)

// Tell appends events for changes that reached the files without the store: a
// card that a pull brought, one that was set aside. what runs under the writer
// lock, behind whatever an earlier writer left to be finished, and must be short;
// the events get their seq here, and are durable together when Tell returns.
func (s *Store) Tell(ctx context.Context, what func() ([]board.Event, error)) error {
	return s.write(ctx, func(w *writer) error {
		events, err := what()
		if err != nil || len(events) == 0 {
			return err
		}
		return w.tell(events)
	})
}

func (w *writer) tell(events []board.Event) error {
	tip, err := w.s.log.tip()
	if err != nil {
		return err
	}
	lines := make([][]byte, len(events))
	for n, e := range events {
		e.Seq = tip + 1 + int64(n)
		if lines[n], err = board.EncodeEvent(e); err != nil {
			return err
		}
	}
	err = w.append(tip+1, lines)
	if errors.Is(err, jsonl.ErrUnsure) {
		err = fmt.Errorf("%w: %w", board.ErrAmbiguous, err)
	}
	return err
}

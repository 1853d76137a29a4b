package native

import (
	"errors"

	"iterion/native/board"
)

// manyEvents is from how many events on looking at the whole board is cheaper than
// reading the cards that they speak of.
const manyEvents = 1000

// awaited are the ids that cards name as blockers, as of an event of the log. It
// spares the import of finished cards a look at the whole board for each of them.
// It may hold more than there are. The writers of one process take turns with it.
type awaited struct {
	seq int64
	ids map[string]bool // nil: not known
}

// awaited reports whether a card may wait for a card that is new.
func (w *writer) awaited(id string) (bool, error) {
	a := &w.s.awaited
	tip, err := w.s.log.tip()
	if err != nil {
		return false, err
	}
	follow := a.follow
	if a.ids == nil || tip < a.seq || tip-a.seq > manyEvents {
		follow = a.begin
	}
	if err := follow(w.s); err != nil {
		a.ids = nil
		return false, err
	}
	a.seq = tip
	return a.ids[id], nil
}

func (a *awaited) begin(s *Store) error {
	found, err := s.cards.blockers()
	a.ids = found
	return err
}

// follow takes in what other writers, and this one, have told since.
func (a *awaited) follow(s *Store) error {
	events, err := s.log.read(a.seq, 0)
	if err != nil {
		return err
	}
	for _, e := range events {
		i, err := s.cards.read(e.IssueID)
		var bad *board.UnreadableError
		switch {
		case errors.Is(err, board.ErrNotFound) || errors.As(err, &bad):
			continue
		case err != nil:
			return err
		}
		for _, id := range i.Blockers {
			a.ids[id] = true
		}
	}
	return nil
}

package trigger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/board"
)

// feed is one source of events.
type feed struct {
	name string
	// read returns events behind a place, and the place that they reach to.
	read   func(ctx context.Context, after int64) (events []Event, at int64, err error)
	health *FeedHealth
}

// drain evaluates a feed to its end, a batch at a time.
func (s *Spine) drain(ctx context.Context, f feed, subs []Subscription) error {
	for {
		at, ok, err := s.Outbox.Cursor(ctx, f.name)
		if err != nil || !ok {
			return err
		}
		s.mu.Lock()
		f.health.Cursor = at
		s.mu.Unlock()
		events, next, err := f.read(ctx, at)
		if err != nil {
			return fmt.Errorf("read the %s feed: %w", f.name, err)
		}
		if next == at {
			return nil
		}
		if err := s.settle(ctx, f, events, next, subs); err != nil {
			return err
		}
	}
}

// settle makes what a batch owes durable, and then moves the cursor.
func (s *Spine) settle(ctx context.Context, f feed, events []Event, next int64, subs []Subscription) error {
	eval := Evaluator{Run: s.Runs.Get, Log: s.Log}
	if s.MaxChain != nil {
		eval.MaxChain = s.MaxChain()
	}
	v, err := eval.Evaluate(events, subs, time.Now().UTC())
	if err != nil {
		return err
	}
	if err := s.Outbox.Add(ctx, f.name, next, v.Rows); err != nil {
		return fmt.Errorf("put what is owed into the outbox: %w", err)
	}
	s.mu.Lock()
	f.health.Cursor = next
	f.health.Events += int64(v.Events)
	f.health.Owed += int64(len(v.Rows))
	f.health.Dropped += int64(v.Dropped)
	s.mu.Unlock()
	if s.Owed != nil && len(v.Rows) > 0 {
		s.Owed(v.Rows)
	}
	return nil
}

func (s *Spine) inboxFeed() feed {
	return feed{name: FeedInbox, health: &s.health.Inbox, read: func(ctx context.Context, after int64) ([]Event, int64, error) {
		posted, err := s.Inbox.Events(ctx, after, batchSize)
		var events []Event
		for _, p := range posted {
			events, after = append(events, p.Event), p.Seq
		}
		return events, after, err
	}}
}

func (s *Spine) boardFeed() feed {
	return feed{name: FeedBoard, health: &s.health.Board, read: func(ctx context.Context, after int64) ([]Event, int64, error) {
		found, err := s.Board.Events(ctx, after, batchSize)
		if err != nil {
			return nil, after, err
		}
		cards := map[string]board.Issue{}
		var events []Event
		for _, e := range found {
			readings, err := s.normalize(ctx, e, cards)
			if err != nil {
				return nil, after, err
			}
			events = append(events, readings...)
		}
		if len(found) > 0 {
			after = found[len(found)-1].Seq
		}
		return events, after, nil
	}}
}

// normalize returns the readings of a board event. A card that is gone is owed
// nothing. One that cannot be read is passed over and named: it must not stop what
// is behind it, and its event says too little by itself.
func (s *Spine) normalize(ctx context.Context, e board.Event, cards map[string]board.Issue) ([]Event, error) {
	if !Tells(e) {
		return nil, nil
	}
	card, known := cards[e.IssueID]
	if !known {
		var err error
		card, err = s.Board.Get(ctx, e.IssueID)
		var broken *board.UnreadableError
		switch {
		case errors.Is(err, board.ErrNotFound):
			s.log().Debug("the card of an event is gone", "issue_id", e.IssueID, "seq", e.Seq)
			return nil, nil
		case errors.As(err, &broken):
			s.broken(e, err)
			return nil, nil
		case err != nil:
			return nil, err
		}
		cards[e.IssueID] = card
	}
	return FromBoard(e, card), nil
}

func (s *Spine) broken(e board.Event, err error) {
	s.log().Error("an event of a card that cannot be read is passed over", "issue_id", e.IssueID, "event_id", boardID(e.Seq), "err", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.health.Board.Broken++
	s.health.Board.LastBroken = fmt.Sprintf("%s (%s): %v", boardID(e.Seq), e.Type, err)
}

package trigger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// FeedBoard is the name of the board's log among an outbox's cursors.
const FeedBoard = "board"

// BoardFeed is what the spine needs of a board.
type BoardFeed interface {
	Get(ctx context.Context, id string) (board.Issue, error)
	Events(ctx context.Context, after int64, limit int) ([]board.Event, error)
	Tip(ctx context.Context) (int64, error)
}

// Spine reads the feeds behind their cursors and puts what the events owe into the
// outbox. One process at a time runs it on a store.
type Spine struct {
	Board  BoardFeed
	Inbox  Inbox
	Runs   Runs // whose outcomes are told
	Outbox Outbox
	// Subscriptions returns the set as it is now.
	Subscriptions func() (Set, error)
	MaxChain      func() int          // as it is now; nil: DefaultMaxChain
	Poll          time.Duration       // between looks that nobody asked for; 0: a second
	Owed          func(rows []Effect) // told of rows that are durable; may be nil
	Log           *slog.Logger        // nil: silent

	nudges   chan struct{}
	once     sync.Once
	tellNext time.Time // Run's and Step's own
	last     Set       // likewise
	mu       sync.Mutex
	health   Health
}

// Health is how a spine fares.
type Health struct {
	Board FeedHealth `json:"board"`
	Inbox FeedHealth `json:"inbox"`
	// LastError is what keeps the spine from going on; empty once it does.
	LastError   string    `json:"last_error,omitempty"`
	LastErrorAt time.Time `json:"last_error_at,omitzero"`
	Problems    int       `json:"problems,omitempty"` // wrong subscriptions
}

// FeedHealth is how one feed fares since the spine was made.
type FeedHealth struct {
	Cursor  int64 `json:"cursor"`
	Events  int64 `json:"events"`  // looked at
	Owed    int64 `json:"owed"`    // effects
	Dropped int64 `json:"dropped"` // not believed
	Broken  int64 `json:"broken"`  // could not be read, and were passed over
	// LastBroken says of the newest one of these what it was.
	LastBroken string `json:"last_broken,omitempty"`
}

// Defaults of a Spine.
const (
	defaultPoll = time.Second
	batchSize   = 500 // events whose effects become durable together
)

// Nudge asks for a look now. It never blocks.
func (s *Spine) Nudge() {
	select {
	case s.wake() <- struct{}{}:
	default:
	}
}

func (s *Spine) wake() chan struct{} {
	s.once.Do(func() { s.nudges = make(chan struct{}, 1) })
	return s.nudges
}

// Health returns how the spine fares.
func (s *Spine) Health() Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.health
}

// Run looks at the feeds until ctx ends. What goes wrong is told by Health and in
// the log, once, and tried again.
func (s *Spine) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.wake():
		case <-timer.C:
		}
		s.note(s.Step(ctx), ctx)
		timer.Reset(s.poll())
	}
}

func (s *Spine) note(err error, ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text == s.health.LastError {
		return
	}
	s.health.LastError, s.health.LastErrorAt = text, time.Time{}
	if err == nil {
		s.log().Info("triggers go on")
		return
	}
	s.health.LastErrorAt = time.Now().UTC()
	s.log().Error("triggers are stuck, nothing is lost meanwhile", "err", err)
}

// Step reads both feeds to their ends.
func (s *Spine) Step(ctx context.Context) error {
	if err := Arm(ctx, s.Outbox, s.Board, s.Inbox); err != nil {
		return err
	}
	set, err := s.Subscriptions()
	if err != nil {
		return fmt.Errorf("read the subscriptions: %w", err)
	}
	set = set.Keeping(s.last)
	s.last = set
	s.mu.Lock()
	s.health.Problems = len(set.Problems)
	s.mu.Unlock()
	subs := set.Listeners()
	return errors.Join(s.tell(ctx), s.drain(ctx, s.inboxFeed(), subs), s.drain(ctx, s.boardFeed(), subs))
}

// tellShare bounds the part of the time that goes into looking for outcomes in a
// long history of runs: one in so many.
const tellShare = 50

// tell looks for outcomes, not at every nudge but about as often as it polls.
func (s *Spine) tell(ctx context.Context) error {
	began := time.Now()
	if began.Before(s.tellNext) {
		return nil
	}
	_, err := TellOutcomes(ctx, s.Inbox, s.Runs)
	took := time.Since(began)
	s.tellNext = began.Add(max(s.poll()/2, tellShare*took))
	return err
}

func (s *Spine) poll() time.Duration {
	if s.Poll == 0 {
		return defaultPoll
	}
	return s.Poll
}

// Arm begins a feed that has no cursor at its end: what happened before anybody
// listened is never replayed. Whoever makes a subscription or leaves an event arms
// first, so that it counts although no daemon has run yet.
func Arm(ctx context.Context, out Outbox, b BoardFeed, box Inbox) error {
	type begin struct {
		name string
		tip  func(context.Context) (int64, error)
	}
	for _, f := range []begin{{FeedBoard, b.Tip}, {FeedInbox, box.Tip}} {
		if _, ok, err := out.Cursor(ctx, f.name); err != nil || ok {
			if err != nil {
				return fmt.Errorf("read the place in the %s feed: %w", f.name, err)
			}
			continue
		}
		tip, err := f.tip(ctx)
		if err != nil {
			return fmt.Errorf("find the end of the %s feed: %w", f.name, err)
		}
		if err := out.Add(ctx, f.name, tip, nil); err != nil {
			return fmt.Errorf("begin the %s feed: %w", f.name, err)
		}
	}
	return nil
}

func (s *Spine) log() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}

var _ Runs = (*run.Dir)(nil)

package trigger

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"iterion/native/run"
)

// DefaultMaxChain is how many launches by outcome may follow one another.
const DefaultMaxChain = 8

// Evaluator says what events owe. But for its lookup it is pure.
type Evaluator struct {
	// Run returns a run's record. Errors: run.ErrNotFound, *run.UnreadableError; any
	// other one stops the evaluation, for it may pass.
	Run      func(id string) (run.Record, error)
	MaxChain int           // 0: DefaultMaxChain
	NewID    func() string // of the launches; nil: run.NewID
	Log      *slog.Logger  // nil: silent
}

// Verdict is what became of a batch of events.
type Verdict struct {
	Rows    []Effect
	Events  int // that were looked at
	Silent  int // of them, those that yield nothing by themselves
	Dropped int // of them, those that were not believed or could not be read
}

// Evaluate returns the rows that the readings of one or more events owe the
// subscriptions, each launch with its run id. Readings of one event have one id and
// follow each other; a subscription is owed the first that it matches. Whatever a
// row says, it is the outbox that decides whether it is new.
func (v Evaluator) Evaluate(events []Event, subs []Subscription, now time.Time) (Verdict, error) {
	var out Verdict
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].ID == events[0].ID {
			n++
		}
		if err := v.readings(&out, events[:n], subs, now); err != nil {
			return out, err
		}
		events = events[n:]
	}
	return out, nil
}

func (v Evaluator) readings(out *Verdict, readings []Event, subs []Subscription, now time.Time) error {
	out.Events++
	if Silent(readings[0]) != "" {
		out.Silent++
		return nil
	}
	owed := matched(readings, subs)
	if len(owed) == 0 {
		return nil
	}
	origin, dropped, err := v.origin(readings[0])
	if err != nil {
		return err
	}
	if dropped != "" {
		v.warn("event dropped", "event_id", readings[0].ID, "kind", readings[0].Kind, "run_id", readings[0].RunID, "why", dropped)
		out.Dropped++
		return nil
	}
	for _, o := range owed {
		if origin != nil {
			o.event.ChainDepth = origin.ChainDepth
		}
		out.Rows = append(out.Rows, v.row(o, origin, now))
	}
	return nil
}

// debt is one event that a subscription matches.
type debt struct {
	event Event
	sub   Subscription
}

func matched(readings []Event, subs []Subscription) []debt {
	var owed []debt
	for i := range subs {
		for _, e := range readings {
			if subs[i].Matches(e) {
				owed = append(owed, debt{e, subs[i]})
				break
			}
		}
	}
	return owed
}

// origin returns the record of the run that an event comes from, nil where there is
// none. An outcome is only believed with its record; what a bot wrote on the board
// happened whether its run is still known or not.
func (v Evaluator) origin(e Event) (rec *run.Record, dropped string, err error) {
	id := e.origin()
	if id == "" {
		if e.Source == SourceRun {
			dropped = "it names no run"
		}
		return nil, dropped, nil
	}
	found, err := v.Run(id)
	var broken *run.UnreadableError
	switch {
	case errors.Is(err, run.ErrNotFound), errors.As(err, &broken):
		if e.Source == SourceRun {
			return nil, err.Error(), nil
		}
		return nil, "", nil
	case err != nil:
		return nil, "", fmt.Errorf("look at run %s, which event %s comes from: %w", id, e.ID, err)
	}
	if e.Source == SourceRun {
		dropped = VerifyRun(e, found)
	}
	return &found, dropped, nil
}

// row makes the effect. One that would lengthen a chain beyond its bound is there
// from the start as a failed row, for somebody to look at.
func (v Evaluator) row(o debt, origin *run.Record, now time.Time) Effect {
	newID := v.NewID
	if newID == nil {
		newID = run.NewID
	}
	e := Effect{
		ID: EffectID(o.event.ID, o.sub.ID), Kind: EffectLaunch, EventID: o.event.ID, SubscriptionID: o.sub.ID,
		TenantID: o.sub.TenantID, RunID: newID(), Event: o.event, State: Pending, CreatedAt: now, UpdatedAt: now,
	}
	limit := v.MaxChain
	if limit == 0 {
		limit = DefaultMaxChain
	}
	if depth := LaunchDepth(o.event); depth > limit {
		e.State = Failed
		e.LastError = fmt.Sprintf("chain depth %d exceeds %d: %s", depth, limit, strings.Join(v.chain(origin, o.sub.BotID), " -> "))
		v.warn("chain of runs refused", "effect_id", e.ID, "subscription_id", o.sub.ID, "why", e.LastError)
	}
	return e
}

// LaunchDepth returns the chain depth of a run that an event launches: one more
// than that of the run which the event comes from.
func LaunchDepth(e Event) int {
	if e.origin() == "" {
		return e.ChainDepth
	}
	return e.ChainDepth + 1
}

// origin returns the run that the event comes from, if any.
func (e Event) origin() string {
	if e.RunID != "" {
		return e.RunID
	}
	return e.ByRun
}

// maxNamed bounds how many bots of a chain are named.
const maxNamed = 12

// chain names the bots that led to a launch, the first one first, as far as the
// records of their runs are there.
func (v Evaluator) chain(rec *run.Record, last string) []string {
	names := []string{last}
	for rec != nil {
		if names = append(names, rec.Bot); len(names) == maxNamed {
			names = append(names, "…")
			break
		}
		rec = v.parent(rec)
	}
	slices.Reverse(names)
	return names
}

// parent returns the run whose event launched another.
func (v Evaluator) parent(rec *run.Record) *run.Record {
	id, ok := strings.CutPrefix(rec.Source.EventID, outcomePrefix)
	if !ok {
		return nil
	}
	id, _, _ = strings.Cut(id, ":")
	if found, err := v.Run(id); err == nil && found.ChainDepth < rec.ChainDepth {
		return &found
	}
	return nil
}

// outcomePrefix begins the id of an event that tells of a run, see OutcomeID.
const outcomePrefix = "run:"

func (v Evaluator) warn(msg string, args ...any) {
	if v.Log != nil {
		v.Log.Warn(msg, args...)
	}
}

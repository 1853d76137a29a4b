package board

import (
	"fmt"
	"time"
)

// Rules judges the verbs of one caller at one instant. Its methods bear the
// names of the Store's verbs, take the card as it stands and return the Change
// to make. They touch nothing: what is passed in stays as it is.
type Rules struct {
	Schema Schema
	By     Cause
	Now    time.Time
	// Lookup reads another card of the board; an error that wraps ErrNotFound
	// says that there is none. Only Create, Update and Unblock use it.
	Lookup func(id string) (Issue, error)
}

// Change is what a verb does to one card.
type Change struct {
	Issue Issue // the card after the verb; after Delete, as it was
	// Event tells the change; its Seq is the twin's to set. Nil when the content
	// stays as it is.
	Event *Event
	// Write says that the record differs from what is kept. It is false for a
	// verb that changes nothing, and true without an Event when only a lease moved.
	Write bool
	// Gone says that the record is to be removed rather than written.
	Gone bool
}

// Closes reports whether the change brought a card to done, after which the
// twin owes its dependents Rules.Unblock. A new card may do so, too: others can
// name a blocker that is only imported later.
func (c Change) Closes() bool {
	return c.Event != nil && c.Issue.State == StateDone &&
		(c.Event.Type == EventIssueStateChanged || c.Event.Type == EventIssueCreated)
}

// same is the change of a verb that changes nothing.
func same(i Issue) Change { return Change{Issue: i} }

// silent is a change of the lease alone.
func silent(i Issue) Change { return Change{Issue: i, Write: true} }

// tell finishes a change of content.
func (r Rules) tell(i Issue, t EventType, p Payload) Change {
	i.UpdatedAt = r.now()
	if !i.GaveUp.stands(i) {
		i.GaveUp = nil
	}
	return Change{Issue: i, Event: r.event(t, i.ID, p), Write: true}
}

func (r Rules) event(t EventType, id string, p Payload) *Event {
	if p.Reason == "" {
		p.Reason = r.By.Reason
	}
	p.ByRun, p.ByActor = r.By.RunID, r.By.Actor
	return &Event{Timestamp: r.now(), Type: t, IssueID: id, Payload: p}
}

// now is the instant as every twin can hold it.
func (r Rules) now() time.Time { return r.Now.Round(0).UTC() }

func (r Rules) lookup(id string) (Issue, error) {
	if r.Lookup == nil {
		return Issue{}, fmt.Errorf("issue %s: %w", id, ErrNotFound)
	}
	return r.Lookup(id)
}

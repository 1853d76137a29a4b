package storetest

import (
	"fmt"
	"slices"
)

// verb checks, at the n-th event, that a verb over several cards left none out.
func (c *check) verb(n int, now map[string]*life) {
	switch e := c.Events[n]; e.Type {
	case moved:
		if e.Payload.To == stateDone {
			c.closed(n, now)
		}
	case unblocked:
		c.setFree(n, now)
	case labelRenamed, labelMerged, labelDeleted:
		c.relabelled(n, now)
	}
}

// closed: all whom the card was the last to hold back are told of next.
func (c *check) closed(n int, now map[string]*life) {
	id := c.Events[n].IssueID
	var told []string
	for _, e := range c.Events[n+1:] {
		if e.Type != unblocked || e.Payload.ClosedBlocker != id {
			break
		}
		told = append(told, e.IssueID)
	}
	for _, l := range now {
		if l.waits(id) && c.satisfied(l, now) && !slices.Contains(told, l.id) {
			c.fault("I4", fmt.Sprintf("event %d", *c.Events[n].Seq), "%s was done and %s waits on", id, l.id)
		}
	}
}

// satisfied reports that all blockers of a card are known to be done. A card
// that asks for more than that is not judged.
func (c *check) satisfied(l *life, now map[string]*life) bool {
	card, there := c.Cards[l.id]
	if !there || card.BotArgs[needsLabels] != "" {
		return false
	}
	for _, id := range l.blockers {
		if b := now[id]; b == nil || b.column != stateDone {
			return false
		}
	}
	return true
}

// setFree: a card that goes on has waited, and for nothing else.
func (c *check) setFree(n int, now map[string]*life) {
	e := c.Events[n]
	where := fmt.Sprintf("event %d", *e.Seq)
	if e.Payload.From != stateWaiting {
		c.fault("I4", where, "%s is set free from %s", e.IssueID, e.Payload.From)
	}
	if b := now[e.Payload.ClosedBlocker]; b == nil || b.column != stateDone {
		c.fault("I4", where, "%s is set free by %s, which is not done", e.IssueID, e.Payload.ClosedBlocker)
	}
	if l := now[e.IssueID]; l != nil && l.held {
		for _, id := range l.blockers {
			if b := now[id]; b == nil || b.column != unknownColumn && b.column != stateDone {
				c.fault("I4", where, "%s is set free while %s is not done", e.IssueID, id)
			}
		}
	}
}

// relabelled: at the last event of the verb no card bears the old label.
func (c *check) relabelled(n int, now map[string]*life) {
	e := c.Events[n]
	if n+1 < len(c.Events) && sameVerb(e, c.Events[n+1]) {
		return
	}
	old := labelsOf(e)[0]
	for _, l := range now {
		if l.labels[old] {
			c.fault("I4", fmt.Sprintf("event %d", *e.Seq), "%s was passed over: it still bears %s", l.id, old)
		}
	}
}

func sameVerb(a, b Event) bool {
	return a.Type == b.Type && slices.Equal(labelsOf(a), labelsOf(b)) &&
		a.Timestamp.Equal(b.Timestamp) && a.Payload.ByActor == b.Payload.ByActor
}

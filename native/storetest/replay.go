package storetest

import (
	"fmt"
	"maps"
	"slices"
)

// replay goes through the log once and compares its end with the cards.
func (c *check) replay() {
	births := c.births()
	now := map[string]*life{}
	for n, e := range c.Events {
		if e.IssueID == "" {
			continue
		}
		l, where := now[e.IssueID], fmt.Sprintf("event %d", *e.Seq)
		switch {
		case e.Type == created && l != nil:
			c.fault("I4", where, "card %s is created a second time", e.IssueID)
		case e.Type != created && l == nil && !c.o.Younger:
			c.fault("I4", where, "%s of card %s, which there is not", e.Type, e.IssueID)
		}
		if l == nil {
			l = births[n]
			now[e.IssueID] = l
		}
		if rule, what := l.tell(e); what != "" {
			c.fault(rule, where, "card %s: %s", e.IssueID, what)
		}
		if e.Type == deleted {
			delete(now, e.IssueID)
		}
		c.verb(n, now)
	}
	c.compare(now)
	c.compareBoard()
}

// births returns each life, by the index of its first event, with what later
// events and the card's file say of its beginning.
func (c *check) births() map[int]*life {
	all, now := map[int]*life{}, map[string]*life{}
	touched, reheld := map[*life]map[string]bool{}, map[*life]bool{}
	for n, e := range c.Events {
		if e.IssueID == "" {
			continue
		}
		l := now[e.IssueID]
		if l == nil {
			l = newLife(e)
			all[n], now[e.IssueID], touched[l] = l, l, map[string]bool{}
		}
		p := e.Payload
		if l.column == unknownColumn && (e.Type == moved || e.Type == unblocked) {
			l.column = p.From
		}
		for _, label := range slices.Concat(p.LabelsAdded, p.LabelsRemoved, labelsOf(e)) {
			touched[l][label] = true
		}
		reheld[l] = reheld[l] || e.Type == reblocked || e.changed(keyBlockers)
		if e.Type == deleted {
			delete(now, e.IssueID)
		}
	}
	for id, l := range now {
		card, there := c.Cards[id]
		if !there {
			continue
		}
		if l.column == unknownColumn {
			l.column = card.State
		}
		if !reheld[l] {
			l.blockers, l.held = card.Blockers, true
		}
		for _, label := range card.Labels {
			if !touched[l][label] {
				l.labels[label] = true
			}
		}
	}
	return all
}

func newLife(e Event) *life {
	l := &life{id: e.IssueID, labels: map[string]bool{}}
	if e.Type == created {
		l.whole, l.sure = true, true
		l.entered, l.why = e.Timestamp, e.Payload.Reason
	}
	return l
}

// labelsOf are the labels that an event of the vocabulary names.
func labelsOf(e Event) []string {
	switch e.Type {
	case labelRenamed, labelMerged:
		return []string{e.Payload.From, e.Payload.To}
	case labelDeleted:
		return []string{e.Payload.Label}
	}
	return nil
}

func (c *check) compare(now map[string]*life) {
	for id, l := range now {
		card, there := c.Cards[id]
		if !there {
			c.fault("I4", id, "is missing; its last event is %s, seq %d", l.last.Type, *l.last.Seq)
			continue
		}
		for _, d := range l.differences(card) {
			c.fault(d.Rule, id, "%s", d.What)
		}
	}
	for id := range c.Cards {
		if now[id] == nil && !c.o.Younger {
			c.fault("I4", id, "there is a card and no event that made it")
		}
	}
}

// differences are those between the card's file and its story.
func (l *life) differences(card Card) []Fault {
	var out []Fault
	expect := func(same bool, rule, format string, args ...any) {
		if !same {
			out = append(out, Fault{Rule: rule, What: fmt.Sprintf(format, args...)})
		}
	}
	expect(card.UpdatedAt.Equal(l.last.Timestamp), "I4", "was changed at %v; its last event, seq %d, is of %v",
		card.UpdatedAt, *l.last.Seq, l.last.Timestamp)
	expect(l.column == unknownColumn || card.State == l.column, "I4", "is in %s; the log says %s", card.State, l.column)
	if !l.entered.IsZero() && !(l.imported && l.why == reasonImport) {
		expect(card.StateAt.Equal(l.entered) && card.StateReason == l.why, "I4", "is in its column since %v (%s); the log says %v (%s)",
			card.StateAt, card.StateReason, l.entered, l.why)
	}
	if l.sure {
		known := !l.imported || l.epoch > 0
		expect(card.Claim == l.marker && (!known || card.ClaimEpoch == l.epoch) && card.ClaimedAt.Equal(l.since), "I1",
			"is held by %q, epoch %d, since %v; the log says %q, %d, %v", card.Claim, card.ClaimEpoch, card.ClaimedAt, l.marker, l.epoch, l.since)
		expect((card.Claim == "") == card.ClaimLeaseUntil.IsZero(), "I1", "has the holder %q and a lease until %v", card.Claim, card.ClaimLeaseUntil)
	}
	for _, label := range slices.Sorted(maps.Keys(l.labels)) {
		expect(l.labels[label] == slices.Contains(card.Labels, label), "I4", "has the labels %v; of %s the log says %v", card.Labels, label, l.labels[label])
	}
	expect(!l.held || slices.Equal(card.Blockers, l.blockers), "I4", "has the blockers %v; the log says %v", card.Blockers, l.blockers)
	expect(!l.ran || card.LastRunID == l.run, "I4", "was last given to run %q; the log says %q", card.LastRunID, l.run)
	for _, run := range l.runs {
		expect(card.ran(run), "I4", "does not know of run %s", run)
	}
	expect(card.GaveUp == nil || l.stamped && card.GaveUp.RunID == l.stamp || l.imported, "I4", "bears a stamp that no event put there")
	return append(out, l.commentFaults(card)...)
}

func (l *life) commentFaults(card Card) []Fault {
	var has []string
	for _, m := range card.Comments {
		has = append(has, m.ID)
	}
	for _, id := range l.comments {
		if !slices.Contains(has, id) {
			return []Fault{{Rule: "I4", What: "lost the comment " + id}}
		}
	}
	if len(has) != len(l.comments) && l.whole && !l.imported {
		return []Fault{{Rule: "I4", What: fmt.Sprintf("has %d comments; the log tells of %d", len(has), len(l.comments))}}
	}
	return nil
}

func (card Card) ran(id string) bool {
	for _, r := range card.Runs {
		if r.RunID == id {
			return true
		}
	}
	return false
}

func (c *check) compareBoard() {
	for _, e := range slices.Backward(c.Events) {
		if e.Type == boardUpdated {
			if !c.board.UpdatedAt.Equal(e.Timestamp) {
				c.fault("I4", "board.json", "was changed at %v; its last event, seq %d, is of %v", c.board.UpdatedAt, *e.Seq, e.Timestamp)
			}
			return
		}
	}
}

package doctor

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"iterion/native/board"
)

const typeDeleted = string(board.EventIssueDeleted)

// skew is how far a card and its last event may be apart. Programs that stamp the
// two one after the other differ by less.
const skew = 2 * time.Second

// A quarrel is a card about which its file and the log do not agree.
type quarrel struct {
	kind    quarrelKind
	updated time.Time // of the card
	seq     int64     // of its last event
}

type quarrelKind string

const (
	untold  quarrelKind = "card-without-event" // a card, and no event
	younger quarrelKind = "log-younger"        // the same, and the log began later
	missing quarrelKind = "card-missing"       // events, and no card
	differs quarrelKind = "card-differs"       // its last change and its last event are two
)

// agree compares cards and log. What may be a write on its way is looked at
// twice, and counts only when nothing has moved in between.
func (x *exam) agree() {
	if !x.log.read {
		return
	}
	first := x.quarrels()
	if len(first) == 0 {
		return
	}
	time.Sleep(settling)
	x.stage(x.halfWay())
	x.readAgain(slices.Collect(maps.Keys(first)))
	if x.scanLog() != nil {
		return
	}
	second := x.quarrels()
	maps.DeleteFunc(first, func(id string, q quarrel) bool { return second[id] != q })
	x.tellQuarrels(first)
}

// quarrels compares what was read so far.
func (x *exam) quarrels() map[string]quarrel {
	all := map[string]quarrel{}
	for id, c := range x.cards {
		if q, ok := x.quarrelOf(id, c); ok && !x.staged[id] {
			all[id] = q
		}
	}
	inside := x.misplaced()
	for id, e := range x.log.last {
		if _, there := x.cards[id]; !there && !e.deleted && !x.staged[id] && !inside[id] {
			all[id] = quarrel{kind: missing, seq: e.seq}
		}
	}
	return all
}

// misplaced returns the ids of cards that lie under another one's name.
func (x *exam) misplaced() map[string]bool {
	ids := map[string]bool{}
	for id, c := range x.cards {
		if c.err == nil && c.id != id {
			ids[c.id] = true
		}
	}
	return ids
}

func (x *exam) quarrelOf(id string, c card) (quarrel, bool) {
	if c.err != nil || c.id != id {
		return quarrel{}, false // told already
	}
	e, told := x.log.last[id]
	q := quarrel{updated: c.updated, seq: e.seq}
	switch {
	case told && e.deleted, !told && !c.updated.Before(x.log.begins) && x.log.events > 0:
		q.kind = untold
	case !told && x.log.first > 0:
		return q, false // its events went into an archive
	case !told:
		q.kind = younger
	case !c.updated.IsZero() && c.updated.Sub(e.at).Abs() > skew:
		q.kind = differs
	default:
		return q, false
	}
	return q, true
}

func (x *exam) readAgain(ids []string) {
	for _, id := range ids {
		if c := readCard(x.l.IssueFile(id)); present(c.path) {
			x.cards[id] = c
		} else {
			delete(x.cards, id)
		}
	}
}

func (x *exam) tellQuarrels(all map[string]quarrel) {
	var strangers int
	for id, q := range all {
		if q.kind == younger {
			strangers++
			continue
		}
		x.found(x.quarrelFinding(id, q).mended(byTell, nil))
	}
	if strangers > 0 {
		x.found(Finding{ID: string(younger), Severity: Note, Where: x.l.Events(),
			What:   fmt.Sprintf("the log knows nothing of %d cards", strangers),
			Means:  "they are older than the log, as after a clone of the board; they work all the same",
			Remedy: "--fix notes each in the log, with reason import, which starts nothing",
		}.mended(byTell, nil))
	}
}

func (x *exam) quarrelFinding(id string, q quarrel) Finding {
	f := Finding{ID: string(q.kind), Severity: Warning, Where: x.l.IssueFile(id)}
	switch q.kind {
	case untold:
		f.What = "there is a card and no event that made it"
		f.Means = "somebody put the file here (a pull, a backup); who follows the log never heard of the card"
		f.Remedy = "--fix notes it in the log, with reason import, which starts nothing"
	case missing:
		f.What = fmt.Sprintf("event %d of the log tells of a card that is not there", q.seq)
		f.Means = "somebody removed the file; who follows the log still counts the card"
		f.Remedy = "put the file back (git, a backup), or --fix notes in the log that the card is gone"
	default:
		f.Severity = Note
		f.What = fmt.Sprintf("the card is of %s, its last event (seq %d) is of %s", stamp(q.updated), q.seq, stamp(x.log.last[id].at))
		f.Means = "the file was changed behind the store's back (a pull, an editor, a power cut without fsync)"
		f.Remedy = "look at the card; --fix notes in the log that it is as it is now"
	}
	return f
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// told returns the events that settle quarrels. Their reason fires no trigger.
func (x *exam) told(all map[string]quarrel) []board.Event {
	events := make([]board.Event, 0, len(all))
	for _, id := range slices.Sorted(maps.Keys(all)) {
		c, q := x.cards[id], all[id]
		e := board.Event{IssueID: id, Timestamp: q.updated, Type: board.EventIssueCreated}
		e.Payload.Reason, e.Payload.ByActor = board.ReasonImport, "doctor"
		switch q.kind {
		case missing:
			e.Type, e.Timestamp = board.EventIssueDeleted, x.now.UTC()
		case differs:
			e.Type = board.EventIssueUpdated
		}
		events = append(events, e)
		if e.Type == board.EventIssueCreated && c.claim != "" {
			e.Type, e.Payload.Marker, e.Payload.Epoch = board.EventIssueClaimed, c.claim, c.epoch
			events = append(events, e)
		}
	}
	return events
}

package storetest

import (
	"fmt"
	"slices"
	"time"
)

// The event types that say more than that a card was changed.
const (
	created       = "issue_created"
	deleted       = "issue_deleted"
	updated       = "issue_updated"
	moved         = "issue_state_changed"
	unblocked     = "issue_unblocked"
	claimed       = "issue_claimed"
	released      = "issue_released"
	lastRun       = "issue_last_run_updated"
	commented     = "issue_comment_added"
	gaveUp        = "issue_gave_up"
	reblocked     = "issue_blockers_updated"
	boardUpdated  = "board_updated"
	labelRenamed  = "label_rename"
	labelMerged   = "label_merge"
	labelDeleted  = "label_delete"
	stateDone     = "done"
	stateWaiting  = "waiting_deps"
	reasonImport  = "import"
	needsLabels   = "require_blocker_labels"
	keyBlockers   = "blockers"
	keyLastRun    = "last_run_id"
	unknownColumn = ""
)

// life is one card from its creation to its end, or to the present, as the log
// tells it so far.
type life struct {
	id       string
	imported bool // a part of it is told by no event
	whole    bool // its creation is in the log

	last    Event
	column  string // unknownColumn: nothing told yet
	entered time.Time
	why     string // reason of the last move

	marker   string
	epoch    int64
	since    time.Time
	sure     bool // marker and epoch are known
	labels   map[string]bool
	blockers []string
	held     bool // blockers are known

	run      string
	ran      bool
	runs     []string
	comments []string
	stamped  bool
	stamp    string
}

// tell takes in the next event and returns what is wrong with it, by invariant.
func (l *life) tell(e Event) (rule, what string) {
	l.last = e
	if e.Payload.Reason == reasonImport {
		l.imported = true
	}
	if what := l.tellLabels(e); what != "" {
		return "I4", what
	}
	p := e.Payload
	switch e.Type {
	case moved, unblocked:
		return l.tellMove(e)
	case claimed, released:
		return l.tellClaim(e)
	case reblocked:
		l.blockers, l.held = p.Blockers, true
	case updated:
		l.tellUpdate(e)
	case lastRun:
		l.run, l.ran = p.RunID, true
		if p.RunID != "" {
			l.runs = append(l.runs, p.RunID)
			return l.holdersOnly("a run was stamped")
		}
	case gaveUp:
		l.stamped, l.stamp = p.GaveUp, p.RunID
		if p.GaveUp {
			return l.holdersOnly("the card was given up")
		}
	case commented:
		l.comments = append(l.comments, p.CommentID)
	}
	return "", ""
}

func (l *life) tellUpdate(e Event) {
	if e.changed(keyBlockers) {
		l.blockers, l.held = e.Payload.Blockers, true
	}
	if e.changed(keyLastRun) {
		l.ran = false
	}
}

func (l *life) holdersOnly(what string) (string, string) {
	if l.sure && l.marker == "" {
		return "I2", what + " while nobody held the card"
	}
	return "", ""
}

func (l *life) tellMove(e Event) (string, string) {
	p := e.Payload
	was := l.column
	l.column, l.entered, l.why = p.To, e.Timestamp, p.Reason
	if e.changed(keyBlockers) { // an import that moves the card
		l.tellUpdate(e)
	}
	switch {
	case was != unknownColumn && p.From != was:
		return "I4", fmt.Sprintf("it moves from %s while in %s", p.From, was)
	case p.From == p.To:
		return "I4", "it moves to where it is"
	case p.Marker != "" && l.sure && p.Marker != l.marker:
		return "I2", fmt.Sprintf("%q files the card that %q holds", p.Marker, l.marker)
	}
	return "", ""
}

func (l *life) tellClaim(e Event) (rule, what string) {
	p := e.Payload
	switch {
	case e.Type == claimed && l.sure && l.marker != p.Supersedes:
		what = fmt.Sprintf("%q claims the card that %q holds", p.Marker, l.marker)
	case e.Type == claimed && p.Epoch <= l.epoch:
		what = fmt.Sprintf("epoch %d follows %d", p.Epoch, l.epoch)
	case e.Type == claimed && l.sure && !l.imported && p.Epoch != l.epoch+1:
		what = fmt.Sprintf("epoch %d follows %d", p.Epoch, l.epoch)
	case e.Type == released && l.sure && p.Marker != l.marker:
		what = fmt.Sprintf("%q is released while %q holds the card", p.Marker, l.marker)
	}
	l.sure, l.marker, l.since = true, "", time.Time{}
	if e.Type == claimed {
		l.marker, l.epoch, l.since = p.Marker, p.Epoch, e.Timestamp
	}
	return "I1", what
}

func (l *life) tellLabels(e Event) string {
	p := e.Payload
	switch e.Type {
	case labelRenamed, labelMerged:
		if l.lacks(p.From) || e.Type == labelRenamed && l.labels[p.To] {
			return fmt.Sprintf("label %s becomes %s, which cannot be", p.From, p.To)
		}
		l.labels[p.From], l.labels[p.To] = false, true
	case labelDeleted:
		if l.lacks(p.Label) {
			return fmt.Sprintf("label %s goes, which it has not", p.Label)
		}
		l.labels[p.Label] = false
	}
	for _, label := range p.LabelsAdded {
		if l.labels[label] {
			return fmt.Sprintf("label %s is added a second time", label)
		}
		l.labels[label] = true
	}
	for _, label := range p.LabelsRemoved {
		if l.lacks(label) {
			return fmt.Sprintf("label %s is removed, which it has not", label)
		}
		l.labels[label] = false
	}
	return ""
}

// lacks reports that the card is known not to have the label.
func (l *life) lacks(label string) bool {
	has, known := l.labels[label]
	return known && !has
}

// waits reports that the card is known to wait, and for that blocker too.
func (l *life) waits(blocker string) bool {
	return l.column == stateWaiting && l.held && slices.Contains(l.blockers, blocker)
}

package trigger

import (
	"slices"
	"strconv"
	"strings"

	"iterion/native/board"
)

// Tells reports whether an event of the board's log can owe anybody something, so
// that its card is worth looking at.
func Tells(e board.Event) bool {
	switch e.Type {
	case board.EventIssueCreated, board.EventIssueUpdated, board.EventIssueStateChanged, board.EventIssueUnblocked,
		board.EventIssueBlockersUpdated, board.EventIssueCommentAdded:
		return Silent(boardEvent(e)) == ""
	}
	return false
}

// FromBoard returns the readings of an event of the board's log, given its card as
// it is now. A write that adds labels and changes something else, too, has two
// readings. All readings have one id: a subscription that several of them match is
// owed one effect. What tells of no card's content (claims, run pointers, stamps, the
// vocabulary of labels, the board itself, a card that is gone) has none.
//
// The subject is the card as it is now, so that a launch works on what is there. The
// column of a move is the one that the card was moved to, wherever it is by now. What
// a run's verdict did to the card comes from that run, whoever filed it.
func FromBoard(e board.Event, card board.Issue) []Event {
	out := boardEvent(e)
	if out.ByRun == "" && (e.Payload.Reason == board.ReasonRunFinished || e.Payload.Reason == board.ReasonRunFailed) {
		out.ByRun = card.LastRunID
	}
	out.Subject = Subject{Type: "card", ID: card.ID, Title: card.Title, Body: card.Body, State: card.State}
	if card.External != nil {
		out.Subject.URL, out.Repo = card.External.URL, card.External.Repo
	}
	out.Labels = slices.Clone(card.Labels)
	switch e.Type {
	case board.EventIssueCreated:
		return []Event{out.as(CardCreated, "created")}
	case board.EventIssueStateChanged, board.EventIssueUnblocked:
		out.Subject.State = e.Payload.To
		if e.Type == board.EventIssueUnblocked {
			return []Event{out.as(CardMoved, "unblocked")}
		}
		return []Event{out.as(CardMoved, "moved")}
	case board.EventIssueBlockersUpdated:
		return []Event{out.as(CardUpdated, "blockers")}
	case board.EventIssueCommentAdded:
		return []Event{out.as(CardUpdated, "commented")}
	case board.EventIssueUpdated:
		return out.updated(e)
	}
	return nil
}

func (e Event) as(kind, action string) Event {
	e.Kind, e.Action = kind, action
	return e
}

func (e Event) updated(b board.Event) []Event {
	var out []Event
	if len(b.Payload.LabelsAdded) > 0 {
		out = append(out, e.as(CardLabeled, "labeled"))
	}
	other := func(key string) bool { return key != "labels" }
	if len(out) == 0 || slices.ContainsFunc(b.Payload.Changed, other) {
		out = append(out, e.as(CardUpdated, "updated"))
	}
	return out
}

// boardEvent returns what the log alone tells.
func boardEvent(e board.Event) Event {
	return Event{
		ID: boardID(e.Seq), Source: SourceBoard, OccurredAt: e.Timestamp,
		Actor: e.Payload.ByActor, Reason: e.Payload.Reason, ByRun: e.Payload.ByRun,
		Payload: boardPayload(e.Payload),
	}
}

func boardID(seq int64) string { return "board:" + strconv.FormatInt(seq, 10) }

// boardSeq is the place in the board's log of an event that comes from there.
func boardSeq(e Event) (seq int64, ok bool) {
	text, ok := strings.CutPrefix(e.ID, "board:")
	if !ok || e.Source != SourceBoard {
		return 0, false
	}
	seq, err := strconv.ParseInt(text, 10, 64)
	return seq, err == nil
}

// boardPayload keeps what a bot may want to know of the change.
func boardPayload(p board.Payload) map[string]any {
	out := map[string]any{}
	for _, f := range []struct {
		name  string
		value string
	}{{"from", p.From}, {"to", p.To}, {"closed_blocker", p.ClosedBlocker}, {"comment_id", p.CommentID}} {
		if f.value != "" {
			out[f.name] = f.value
		}
	}
	for _, f := range []struct {
		name   string
		values []string
	}{{"changed", p.Changed}, {"labels_added", p.LabelsAdded}, {"labels_removed", p.LabelsRemoved}, {"blockers", p.Blockers}} {
		if len(f.values) > 0 {
			out[f.name] = anys(f.values)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// anys makes a list what it is once it was written and read again.
func anys(list []string) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

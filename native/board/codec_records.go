package board

import (
	"fmt"
	"time"
)

// The plain types have the fields of a record and none of its methods.
type (
	plainIssue         Issue
	plainRunRef        RunRef
	plainGaveUp        GaveUp
	plainLaunchRefusal LaunchRefusal
	plainComment       Comment
	plainExternal      External
	plainProject       ExternalProject
	plainSchema        Schema
	plainState         State
	plainField         Field
	plainView          View
	plainEvent         Event
	plainPayload       Payload
)

// EncodeIssue returns the file form of a card. Issue has no MarshalJSON, so that
// wider records can embed it; encoding/json writes the same keys, less Extra.
func EncodeIssue(i Issue) ([]byte, error) {
	data, err := encode(plainIssue(i), i.Extra)
	if err != nil {
		return nil, fmt.Errorf("encode issue %s: %w", i.ID, err)
	}
	return indented(data)
}

// DecodeIssue reads the file form of a card. It does not look at what the card
// says: an empty object is an empty card.
func DecodeIssue(data []byte) (Issue, error) {
	if err := object(data); err != nil {
		return Issue{}, fmt.Errorf("decode issue: %w", err)
	}
	var p plainIssue
	extra, err := decode(data, &p)
	if err != nil {
		return Issue{}, fmt.Errorf("decode issue: %w", err)
	}
	p.Extra = extra
	i := Issue(p)
	i.utc()
	return i, nil
}

// EncodeSchema returns the file form of a board.
func EncodeSchema(s Schema) ([]byte, error) {
	data, err := s.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode board: %w", err)
	}
	return indented(data)
}

// DecodeSchema reads the file form of a board. It does not validate it.
func DecodeSchema(data []byte) (Schema, error) {
	if err := object(data); err != nil {
		return Schema{}, fmt.Errorf("decode board: %w", err)
	}
	var s Schema
	if err := s.UnmarshalJSON(data); err != nil {
		return Schema{}, fmt.Errorf("decode board: %w", err)
	}
	return s, nil
}

// EncodeEvent returns the log line of an event, without the newline.
func EncodeEvent(e Event) ([]byte, error) {
	data, err := e.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode event %d: %w", e.Seq, err)
	}
	return data, nil
}

// DecodeEvent reads one line of the log.
func DecodeEvent(line []byte) (Event, error) {
	if err := object(line); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	var e Event
	if err := e.UnmarshalJSON(line); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	return e, nil
}

// utc brings an instant to UTC, where its year stays one that JSON can hold.
func utc(t time.Time) time.Time {
	if u := t.UTC(); u.Year() >= 0 && u.Year() <= 9999 {
		return u
	}
	return t
}

func (i *Issue) utc() {
	for _, t := range []*time.Time{&i.ClaimedAt, &i.ClaimLeaseUntil, &i.CreatedAt, &i.UpdatedAt, &i.StateAt} {
		*t = utc(*t)
	}
}

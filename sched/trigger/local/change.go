package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"iterion/sched/trigger"
)

// version is the version of the files that this package writes.
const version = 1

// line is one line of the outbox's log.
type line struct {
	Seq int64 `json:"seq"`
	// Snapshot: the changes up to Seq are in the snapshot, and the line is none.
	Snapshot bool `json:"snapshot,omitempty"`
	trigger.Change
}

// chunk is from how many bytes on a line of rows is full.
const chunk = 1 << 20

// maxSeq bounds what is taken for the number of a change.
const maxSeq = 1 << 53

// encode returns the lines of a change, the first one numbered seq. Rows come before
// the cursors, which are in the last line.
func encode(c trigger.Change, seq int64) (lines [][]byte, err error) {
	add := c.Add
	c.Add = nil
	for len(add) > 0 {
		var part []trigger.Effect
		for size := 0; len(add) > 0 && size < chunk; add = add[1:] {
			part = append(part, add[0])
			size += roughly(add[0])
		}
		if lines, err = with(lines, line{Seq: seq + int64(len(lines)), Change: trigger.Change{Add: part}}); err != nil {
			return nil, err
		}
	}
	if c.Empty() {
		return lines, nil
	}
	return with(lines, line{Seq: seq + int64(len(lines)), Change: c})
}

// roughly returns about how many bytes a row takes; the body of its card and the
// payload are what can be large.
func roughly(e trigger.Effect) int {
	n := 1000 + len(e.Event.Subject.Body)
	for _, v := range e.Event.Payload {
		if s, ok := v.(string); ok {
			n += len(s)
		} else if raw, err := json.Marshal(v); err == nil {
			n += len(raw)
		}
	}
	return n
}

func with(lines [][]byte, l line) ([][]byte, error) {
	if l.Seq > maxSeq {
		return nil, fmt.Errorf("change the outbox: its log goes up to %d, which is no number that changes can have come to: mend it", l.Seq-1)
	}
	data, err := marshal(l)
	if err != nil {
		return nil, fmt.Errorf("encode a change of the outbox: %w", err)
	}
	return append(lines, data), nil
}

// marshal writes one line of JSON, with < and > as they are.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}

// decode reads a line. One without a number, or with rows that have no id, is no
// change.
func decode(data []byte) (line, error) {
	var l struct {
		Seq *int64 `json:"seq"`
		line
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return line{}, err
	}
	if l.Seq == nil || *l.Seq < 0 || *l.Seq > maxSeq {
		return line{}, errors.New("it has no seq that could be")
	}
	for _, e := range l.Add {
		if e.ID == "" {
			return line{}, fmt.Errorf("a row of it has no id")
		}
	}
	l.line.Seq = *l.Seq
	return l.line, nil
}

// UnreadableError says that the outbox cannot be read.
type UnreadableError struct {
	Path string // the snapshot
	Log  string
	Err  error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("the outbox %s is unreadable: %v: mend it, or move it and %s away, which forgets what triggers still owe",
		e.Path, e.Err, filepath.Base(e.Log))
}

// Unwrap returns the reason.
func (e *UnreadableError) Unwrap() error { return e.Err }

package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"iterion/native/jsonl"
)

// Journal appends to the events.jsonl of one run. Only the holder of the run's
// lock may have one.
type Journal struct {
	d    *Dir
	id   string
	next int64
}

// Journal opens the event log of a run. A torn last line, left by a killed
// writer, is closed off with a newline first; it counts when it is whole but for
// that.
func (d *Dir) Journal(id string) (*Journal, error) {
	path, j := d.file(id, EventsFile), &Journal{d: d, id: id}
	if _, err := jsonl.CloseTail(path, jsonl.Options{NoFsync: true}); err != nil {
		return nil, fmt.Errorf("mend events of run %s: %w", id, err)
	}
	err := d.EachEvent(id, func(e Event) { j.next = max(j.next, e.Seq+1) })
	return j, err
}

// Append writes one event, numbering it. sync makes it durable; an event that
// changes nothing of consequence goes without. After an error the log holds what
// it held before, or the whole event.
func (j *Journal) Append(e Event, sync bool) error {
	e.Seq, e.RunID = j.next, j.id
	if e.Timestamp.IsZero() {
		e.Timestamp = time.Now().UTC()
	}
	e.LogOffset = j.logSize()
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode event of run %s: %w", j.id, err)
	}
	_, err = jsonl.Append(j.d.file(j.id, EventsFile), line, jsonl.Options{NoFsync: !sync || j.d.o.NoFsync})
	if err == nil || errors.Is(err, jsonl.ErrUnsure) {
		j.next++
	}
	if err != nil {
		return fmt.Errorf("append event of run %s: %w", j.id, err)
	}
	return nil
}

func (j *Journal) logSize() int64 {
	info, err := os.Stat(j.d.LogPath(j.id))
	if err != nil {
		return 0
	}
	return info.Size()
}

// Events returns the events of a run with a number above after; -1 for all. What
// is no event is passed over, and so is a last line that is still being written.
func (d *Dir) Events(id string, after int64) ([]Event, error) {
	var events []Event
	err := d.EachEvent(id, func(e Event) {
		if e.Seq > after {
			events = append(events, e)
		}
	})
	return events, err
}

// EachEvent hands all events of a run to each, oldest first, one at a time: a run
// of days has more of them than a supervisor should hold.
func (d *Dir) EachEvent(id string, each func(Event)) error {
	_, err := jsonl.Scan(d.file(id, EventsFile), 0, func(l jsonl.Line) error {
		var e Event
		if json.Unmarshal(l.Data, &e) == nil && e.Type != "" {
			each(e)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("events of run %s: %w", id, err)
	}
	return nil
}

// OutcomeEvent returns the event that tells of a record's final status.
func OutcomeEvent(rec Record) Event {
	data := map[string]any{"status": rec.Status, "outcome_seq": rec.OutcomeSeq}
	if rec.FailureCode != "" {
		data["failure_code"] = rec.FailureCode
	}
	if rec.Error != "" {
		data["error"] = rec.Error
	}
	if rec.ExitCode != nil {
		data["exit_code"] = *rec.ExitCode
	}
	return Event{Timestamp: rec.FinishedAt, Type: outcomeType(rec), Data: data}
}

func outcomeType(rec Record) EventType {
	switch {
	case rec.Status == Finished:
		return EventFinished
	case rec.Status == Cancelled:
		return EventCancelled
	case rec.FailureCode == CodeInterrupted || rec.FailureCode == CodeProcessOrphaned:
		return EventInterrupted
	}
	return EventFailed
}

// EnsureOutcome appends the outcome event of a final record unless it is there.
// The caller holds the run's lock.
func (d *Dir) EnsureOutcome(rec Record) error {
	told := false
	err := d.EachEvent(rec.ID, func(e Event) {
		seq, ok := e.Data["outcome_seq"].(float64)
		told = told || ok && int(seq) == rec.OutcomeSeq
	})
	if err != nil || told {
		return err
	}
	j, err := d.Journal(rec.ID)
	if err != nil {
		return err
	}
	return j.Append(OutcomeEvent(rec), true)
}

package run

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"iterion/native/atomicfile"
)

// Journal appends to the events.jsonl of one run. Only the holder of the run's
// lock may have one.
type Journal struct {
	d    *Dir
	id   string
	f    *os.File
	next int64
}

// Journal opens the event log of a run. A torn last line, left by a killed
// writer, is closed off with a newline and counts for nothing.
func (d *Dir) Journal(id string) (*Journal, error) {
	f, err := os.OpenFile(d.file(id, EventsFile), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open events of run %s: %w", id, err)
	}
	j := &Journal{d: d, id: id, f: f}
	if err := j.resume(); err != nil {
		f.Close()
		return nil, fmt.Errorf("read events of run %s: %w", id, err)
	}
	return j, nil
}

// resume finds the next number and mends a torn tail.
func (j *Journal) resume() error {
	data, err := io.ReadAll(j.f)
	if err != nil {
		return err
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n') // the torn line may be whole but for this
		if _, err := j.f.Write([]byte{'\n'}); err != nil {
			return err
		}
	}
	for e := range decodeEvents(data) {
		j.next = max(j.next, e.Seq+1)
	}
	return nil
}

// Append writes one event, numbering it. sync makes it durable; an event that
// changes nothing of consequence goes without.
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
	if _, err := j.f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("append event of run %s: %w", j.id, err)
	}
	j.next++
	if !sync {
		return nil
	}
	return atomicfile.Sync(j.f, j.d.durable())
}

func (j *Journal) logSize() int64 {
	info, err := os.Stat(j.d.LogPath(j.id))
	if err != nil {
		return 0
	}
	return info.Size()
}

// Close closes the file.
func (j *Journal) Close() error { return j.f.Close() }

// Events returns the events of a run with a number above after; -1 for all.
func (d *Dir) Events(id string, after int64) ([]Event, error) {
	data, err := os.ReadFile(d.file(id, EventsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read events of run %s: %w", id, err)
	}
	var events []Event
	for e := range decodeEvents(data) {
		if e.Seq > after {
			events = append(events, e)
		}
	}
	return events, nil
}

// decodeEvents yields the events that can be read and passes over torn lines.
func decodeEvents(data []byte) func(yield func(Event) bool) {
	return func(yield func(Event) bool) {
		r := bufio.NewReader(bytes.NewReader(data))
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return // what has no newline is still being written
			}
			var e Event
			if json.Unmarshal(line, &e) == nil && e.Type != "" && !yield(e) {
				return
			}
		}
	}
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
	events, err := d.Events(rec.ID, -1)
	if err != nil {
		return err
	}
	for _, e := range events {
		if seq, ok := e.Data["outcome_seq"].(float64); ok && int(seq) == rec.OutcomeSeq {
			return nil
		}
	}
	j, err := d.Journal(rec.ID)
	if err != nil {
		return err
	}
	defer j.Close()
	return j.Append(OutcomeEvent(rec), true)
}

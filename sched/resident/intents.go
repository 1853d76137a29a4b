package resident

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"strings"
	"time"

	"iterion/native/atomicfile"
	"iterion/sched/gate"
)

// Entry is what the calendar keeps of one row. It is never changed in place.
type Entry struct {
	Clock   string    `json:"clock"` // by which it was armed
	ArmedAt time.Time `json:"armed_at"`
	// Through is the instant up to which the slots are dealt with.
	Through time.Time `json:"through"`
	// Next is the first slot behind Through, for readers of the file.
	Next   time.Time    `json:"next,omitzero"`
	Intent *Intent      `json:"intent,omitempty"`
	Last   *gate.Record `json:"last,omitempty"` // without its tails
	// LastError is what the newest verdict left.
	LastError string `json:"last_error,omitempty"`

	extra map[string]json.RawMessage // keys of a newer version
}

// Intent is a slot that is due and not dealt with. Everything that is needed to tell
// what became of it is in it: its row may be gone when somebody asks.
type Intent struct {
	Slot  time.Time `json:"slot"`
	RunID string    `json:"run_id"` // of the run that it may start
	BotID string    `json:"bot_id"`
	Cron  string    `json:"cron"`
	At    time.Time `json:"at"` // when it was planned

	// The slots before it that go undecided.
	Folded      int       `json:"folded,omitempty"`
	FoldedFirst time.Time `json:"folded_first,omitzero"`
	FoldedLast  time.Time `json:"folded_last,omitzero"`
	// Missed: it came too late, and only has to be recorded.
	Missed bool `json:"missed,omitempty"`
	// Why says in words what kept it, or the folded ones, from being decided in time.
	Why string `json:"why,omitempty"`

	Held *Held `json:"held,omitempty"`
}

// Held says why an intention waits.
type Held struct {
	Since  time.Time `json:"since"`
	Guard  string    `json:"guard"` // the dispatch guard that refused it
	Reason string    `json:"reason"`
	// Slots: it only waits for a free slot.
	Slots bool `json:"slots,omitempty"`
}

// Calendar is the content of schedule-intents.json by subscription id.
type Calendar map[string]Entry

// calendarVersion is the version of the file that this package writes. A higher one
// is refused.
const calendarVersion = 1

type calendarFile struct {
	Version   int                        `json:"version"`
	Schedules map[string]json.RawMessage `json:"schedules"`
}

// Read returns the calendar in a file; without a file it is empty. One that cannot be
// read is an error and never an empty calendar.
func Read(path string) (Calendar, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Calendar{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the schedules' calendar: %w", err)
	}
	c, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("the schedules' calendar %s is unreadable: %w; no schedule fires until it is mended or moved away", path, err)
	}
	return c, nil
}

func parse(data []byte) (Calendar, error) {
	var f calendarFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Version < 1 || f.Version > calendarVersion {
		return nil, fmt.Errorf("version %d, this program knows %d", f.Version, calendarVersion)
	}
	c := make(Calendar, len(f.Schedules))
	for id, raw := range f.Schedules {
		e, err := parseEntry(raw)
		if err != nil {
			return nil, fmt.Errorf("schedule %s: %w", id, err)
		}
		c[id] = e
	}
	return c, nil
}

func parseEntry(raw json.RawMessage) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, err
	}
	if e.Through.IsZero() {
		return e, errors.New("it does not say up to when its slots are dealt with")
	}
	if in := e.Intent; in != nil && (in.Slot.IsZero() || in.RunID == "") {
		return e, errors.New("its intention names no slot or no run")
	}
	if err := json.Unmarshal(raw, &e.extra); err != nil {
		return e, err
	}
	maps.DeleteFunc(e.extra, func(key string, _ json.RawMessage) bool { return entryKeys[key] })
	return e, nil
}

// entryKeys are the keys of an Entry.
var entryKeys = keysOf(reflect.TypeFor[Entry]())

func keysOf(t reflect.Type) map[string]bool {
	keys := map[string]bool{}
	for f := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(f).Tag.Get("json"), ",")
		keys[name] = true
	}
	return keys
}

// plainEntry is an Entry without its codec.
type plainEntry Entry

// MarshalJSON writes the keys of a newer version beside those that are known.
func (e Entry) MarshalJSON() ([]byte, error) {
	known, err := json.Marshal(plainEntry(e))
	if err != nil || len(e.extra) == 0 {
		return known, err
	}
	more, err := json.Marshal(e.extra)
	if err != nil {
		return nil, err
	}
	return append(append(known[:len(known)-1], ','), more[1:]...), nil
}

// write replaces the file durably.
func (c Calendar) write(path string, o atomicfile.Options) error {
	data, err := json.Marshal(struct {
		Version   int      `json:"version"`
		Schedules Calendar `json:"schedules"`
	}{calendarVersion, c})
	if err != nil {
		return fmt.Errorf("encode the schedules' calendar: %w", err)
	}
	if err := atomicfile.WriteFile(path, append(data, '\n'), 0o600, o); err != nil {
		return fmt.Errorf("write the schedules' calendar: %w", err)
	}
	return nil
}

package hostcron

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/filelock"
	"iterion/sched/gate"
)

// stateVersion is that of the states that this package writes. A higher one is not
// read: it may say of a slot that it was decided in a way that is not known here.
const stateVersion = 1

// State is what is known of one schedule.
type State struct {
	Version   int           `json:"format_version"`
	Slot      time.Time     `json:"slot,omitzero"`       // the last one decided, or found missed
	RunID     string        `json:"run_id,omitempty"`    // of the last decision, if it has one
	Decision  gate.Decision `json:"decision,omitempty"`  // the last one
	DecidedAt time.Time     `json:"decided_at,omitzero"` // when that was
	ArmedAt   time.Time     `json:"armed_at,omitzero"`   // slots count from then on
	Cron      string        `json:"cron,omitempty"`      // what it was armed for
	TZ        string        `json:"tz,omitempty"`        // the same
	Pending   []Pending     `json:"pending,omitempty"`   // decided, and not recorded yet

	extra map[string]json.RawMessage // keys of a newer version
}

// Pending is a decision that is under way, or whose decider died.
type Pending struct {
	Slot     time.Time    `json:"slot,omitzero"` // zero: by hand, unless Missed alone is owed
	RunID    string       `json:"run_id,omitempty"`
	At       time.Time    `json:"at"`
	StoreDir string       `json:"store_dir,omitempty"`
	Cron     string       `json:"cron,omitempty"`
	BotID    string       `json:"bot_id,omitempty"`
	Missed   *gate.Record `json:"missed,omitempty"` // owed as well
}

// ReadState returns the state of a schedule; known is false when it has none yet.
func ReadState(p Paths, name string) (s State, known bool, err error) {
	path := p.State(name)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil {
		err = json.Unmarshal(data, &s.extra)
	}
	switch {
	case err != nil:
		return State{}, false, fmt.Errorf("state %s cannot be read, so what was decided is not known: %w", path, err)
	case s.Version > stateVersion:
		return State{}, false, fmt.Errorf("state %s has format_version %d, a newer iterion wrote it", path, s.Version)
	}
	return s, true, nil
}

// write replaces the state of a schedule. The caller holds its lock.
func (s State) write(p Paths, name string, noFsync bool) error {
	s.Version = stateVersion
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("state of %s: %w", name, err)
	}
	if data, err = s.keep(data); err != nil {
		return fmt.Errorf("state of %s: %w", name, err)
	}
	if err := folder(p.State(name)); err != nil {
		return fmt.Errorf("state of %s: %w", name, err)
	}
	if err := atomicfile.WriteFile(p.State(name), data, 0o600, atomicfile.Options{NoFsync: noFsync}); err != nil {
		return fmt.Errorf("state of %s: %w", name, err)
	}
	return nil
}

// keep puts the keys back that a newer version wrote.
func (s State) keep(data []byte) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	for _, known := range stateKeys() {
		delete(s.extra, known)
	}
	for k, v := range s.extra {
		all[k] = v
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetIndent("", "  ")
	err := e.Encode(all)
	return out.Bytes(), err
}

func stateKeys() []string {
	return []string{"format_version", "slot", "run_id", "decision", "decided_at", "armed_at", "cron", "tz", "pending"}
}

// Arm makes the slots of schedules count from now on.
func Arm(ctx context.Context, p Paths, now time.Time, noFsync bool, names ...string) error {
	for _, name := range names {
		if err := arm(ctx, p, now, noFsync, name); err != nil {
			return fmt.Errorf("arm schedule %s: %w", name, err)
		}
	}
	return nil
}

func arm(ctx context.Context, p Paths, now time.Time, noFsync bool, name string) error {
	if err := folder(p.StateLock(name)); err != nil {
		return err
	}
	lock, err := filelock.Acquire(ctx, p.StateLock(name), filelock.Options{})
	var held *filelock.HeldError
	if errors.As(err, &held) {
		// Who decides a slot right now has read the row. The manifest is written
		// already, and the next tick finds for itself what has changed.
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	s, _, err := ReadState(p, name)
	if err != nil {
		return err
	}
	s.ArmedAt, s.Cron, s.TZ = now.UTC(), "", ""
	return s.write(p, name, noFsync)
}

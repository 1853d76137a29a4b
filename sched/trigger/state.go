package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/filelock"
)

// state is the small file beside triggers.yaml that the program keeps for itself:
// the health of every subscription, and which derived one bears which id. Without
// it no subscription is lost.
type state struct {
	Version int                `json:"version"`
	Derived map[string]string  `json:"derived,omitempty"` // id to fingerprint
	Health  map[string]verdict `json:"health,omitempty"`
}

// verdict is what is known to be wrong with a binding.
type verdict struct {
	LastError   string    `json:"last_error"`
	LastErrorAt time.Time `json:"last_error_at"`
}

const stateVersion = 1

// statePath returns the file beside a triggers.yaml: triggers-state.json.
func statePath(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + "-state.json"
}

func readState(path string) (state, error) {
	s := state{Version: stateVersion}
	data, err := os.ReadFile(statePath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return state{Version: stateVersion}, fmt.Errorf("%s: %w; it only remembers errors and the order of invocations: remove it to begin anew", statePath(path), err)
	}
	if s.Version > stateVersion {
		return state{Version: stateVersion}, fmt.Errorf("%s: version %d is newer than this program's %d", statePath(path), s.Version, stateVersion)
	}
	return s, nil
}

// changeState lets change alter the state under the lock and writes it when change
// says so. A state that cannot be read is not replaced.
func changeState(ctx context.Context, path string, o WriteOptions, change func(*state) bool) (bool, error) {
	lock, err := filelock.Acquire(ctx, lockPath(path), filelock.Options{})
	if err != nil {
		return false, fmt.Errorf("lock the triggers: %w", err)
	}
	defer lock.Release()
	return rewriteState(path, o, change)
}

// rewriteState is changeState for a holder of the lock.
func rewriteState(path string, o WriteOptions, change func(*state) bool) (bool, error) {
	s, err := readState(path)
	if err != nil || !change(&s) {
		return false, err
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return false, err
	}
	err = atomicfile.WriteFile(statePath(path), append(data, '\n'), 0o600, atomicfile.Options{NoFsync: o.NoFsync})
	return err == nil, err
}

// lockPath is held by who writes triggers.yaml or the state beside it.
func lockPath(path string) string {
	return filepath.Join(filepath.Dir(path), "."+strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+".lock")
}

// WriteOptions tune writing.
type WriteOptions struct{ NoFsync bool }

// SetLastError notes what is wrong with a subscription's binding, or with an empty
// text that nothing is. It writes only when that is news, and reports whether it
// was.
func SetLastError(ctx context.Context, path, id, text string, at time.Time, o WriteOptions) (bool, error) {
	return changeState(ctx, path, o, func(s *state) bool {
		if s.Health[id].LastError == text {
			return false
		}
		if text == "" {
			delete(s.Health, id)
			return true
		}
		if s.Health == nil {
			s.Health = map[string]verdict{}
		}
		s.Health[id] = verdict{text, at.UTC()}
		return true
	})
}

// Remember keeps the ids of the derived subscriptions, and forgets the health of
// those that are gone. It writes only when something changed.
func (s Set) Remember(ctx context.Context, o WriteOptions) error {
	st, err := readState(s.path)
	if err != nil || !s.amends(&st) {
		return err
	}
	_, err = changeState(ctx, s.path, o, s.amends)
	return err
}

// amends brings the state up to the set and reports whether that changed it. What
// is not known now may come back.
func (s Set) amends(st *state) bool {
	changed := !maps.Equal(st.Derived, s.prints)
	st.Derived = s.prints
	for id := range st.Health {
		if _, known := s.byID[id]; !known && !s.partial {
			delete(st.Health, id)
			changed = true
		}
	}
	return changed
}

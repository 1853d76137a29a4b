package native

import (
	"context"
	"errors"
	"path/filepath"
)

// KeepStray hands keep, under the writer lock, every file of the staging folder
// that belongs to no committed change. The next writer would remove them; keep
// may move them away first.
func (s *Store) KeepStray(ctx context.Context, keep func(path string) error) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	// A last line that lacks nothing but its newline is a commit.
	if _, err := s.log.closeTail(); err != nil {
		return err
	}
	stray, err := s.stray()
	for _, name := range stray {
		err = errors.Join(err, keep(filepath.Join(s.l.Staging(), name)))
	}
	return err
}

func (s *Store) stray() ([]string, error) {
	changes, stray, err := stagedFiles(s.l.Staging())
	if err != nil {
		return nil, err
	}
	for _, st := range changes {
		e, ok, err := s.log.at(st.seq)
		if err != nil {
			return nil, err
		}
		if !ok || encodeID(eventRecord(e)) != st.name {
			stray = append(stray, st.String())
		}
	}
	return stray, nil
}

package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"iterion/native/board"
)

// redo finishes what an earlier holder of the lock committed and removes what
// it did not. In the ordinary case it finds nothing to do.
func (w *writer) redo() error {
	torn, err := w.s.log.closeTail()
	if err != nil {
		return err
	}
	if torn {
		w.s.o.Log.Warn("the event log ended in a torn line; it was closed off", "path", w.s.l.Events())
	}
	if err := w.redoStaged(); err != nil {
		return err
	}
	return w.redoVerb()
}

func (w *writer) redoStaged() error {
	changes, others, err := stagedFiles(w.s.l.Staging())
	if err != nil || len(changes)+len(others) == 0 {
		return err
	}
	for _, name := range others {
		if err := os.RemoveAll(filepath.Join(w.s.l.Staging(), name)); err != nil {
			return err
		}
	}
	// The event may not have reached the disk before its writer died.
	if err := w.s.log.sync(); err != nil {
		return err
	}
	for _, st := range changes {
		if err := w.settle(st); err != nil {
			return fmt.Errorf("settle staged %s: %w", st, err)
		}
	}
	return nil
}

// settle places a staged change whose event is in the log, and removes any other.
func (w *writer) settle(st staged) error {
	path := w.s.staged(st)
	e, ok, err := w.s.log.at(st.seq)
	if err != nil {
		return err
	}
	if !ok || encodeID(eventRecord(e)) != st.name {
		return os.Remove(path)
	}
	gone := e.Type == board.EventIssueDeleted
	if !gone {
		if err := w.s.wholeStaged(path, st); err != nil {
			w.s.o.Log.Error("a committed change was damaged on its way; the record stays as it was",
				"seq", st.seq, "record", st.name, "err", err)
			return os.Remove(path)
		}
	}
	return w.place(st, gone)
}

// eventRecord is the id of the record that the event changed.
func eventRecord(e board.Event) string {
	if e.IssueID == "" {
		return boardName
	}
	return e.IssueID
}

// wholeStaged checks that what is about to replace a record can be read: with
// syncs off, a power cut leaves empty files behind.
func (s *Store) wholeStaged(path string, st staged) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if st.name == boardName {
		_, err = board.DecodeSchema(data)
		return err
	}
	i, err := board.DecodeIssue(data)
	if err == nil && encodeID(i.ID) != st.name {
		err = errors.New("it is another card")
	}
	return err
}

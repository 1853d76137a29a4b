package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"iterion/native/atomicfile"
	"iterion/native/board"
	"iterion/native/jsonl"
)

// boardName stands for board.json among the ids; no card can have it.
const boardName = ".board"

// change is one record's new content and the event that tells it.
type change struct {
	id    string // of the card, or boardName
	data  []byte // empty: the record goes
	event board.Event
}

// commit makes one change durable: staged, committed, placed.
func (w *writer) commit(c change) error {
	tip, err := w.s.log.tip()
	if err != nil {
		return err
	}
	c.event.Seq = tip + 1
	line, err := board.EncodeEvent(c.event)
	if err != nil {
		return err
	}
	return w.commitLine(c.event.Seq, c.id, c.data, line)
}

func (w *writer) commitLine(seq int64, id string, data, line []byte) error {
	st, err := w.stage(seq, id, data)
	if err != nil {
		return err
	}
	if err := w.s.log.append(seq, line); err != nil {
		if errors.Is(err, jsonl.ErrUnsure) {
			return fmt.Errorf("%w: %w", board.ErrAmbiguous, err)
		}
		return errors.Join(err, w.unstage(st))
	}
	w.s.crash("committed")
	if err := w.place(st, len(data) == 0); err != nil {
		return fmt.Errorf("%w: the change of %s is committed and not yet in place: %w", board.ErrAmbiguous, id, err)
	}
	return nil
}

// stage writes what the record will be beside the records.
func (w *writer) stage(seq int64, id string, data []byte) (staged, error) {
	st := staged{seq: seq, name: encodeID(id)}
	if err := atomicfile.Write(w.s.staged(st), data, 0o600, w.s.o.atomic()); err != nil {
		return st, fmt.Errorf("stage %s: %w", id, err)
	}
	w.s.crash("staged")
	return st, nil
}

func (w *writer) unstage(all ...staged) (err error) {
	for _, st := range all {
		err = errors.Join(err, os.Remove(w.s.staged(st)))
	}
	return err
}

// place puts what was committed where readers look.
func (w *writer) place(st staged, gone bool) error {
	put := w.replace
	if gone {
		put = w.remove
	}
	if err := put(w.s.staged(st), w.s.target(st.name)); err != nil {
		return err
	}
	w.s.crash("placed")
	return nil
}

// replace owes the sync of the folder until the lock is free.
func (w *writer) replace(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	if dir := filepath.Dir(to); !slices.Contains(w.owed, dir) {
		w.owed = append(w.owed, dir)
	}
	return nil
}

// remove keeps what is staged, which is empty, until the record is gone for good.
func (w *writer) remove(from, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w.s.crash("removed")
	if err := atomicfile.SyncDir(filepath.Dir(to), w.s.o.atomic()); err != nil {
		return err
	}
	return os.Remove(from)
}

// settleOwed syncs the folders of what was placed. What has been committed is
// safe without, but the next holder of the lock may have to place it again.
func (w *writer) settleOwed() error {
	if len(w.owed) > 0 {
		w.s.crash("free")
	}
	for _, dir := range w.owed {
		if err := atomicfile.SyncDir(dir, w.s.o.atomic()); err != nil {
			return fmt.Errorf("%w: what was written is in place: %w", board.ErrAmbiguous, err)
		}
	}
	return nil
}

func (s *Store) staged(st staged) string { return filepath.Join(s.l.Staging(), st.String()) }

func (s *Store) target(name string) string {
	if name == boardName {
		return s.l.Board()
	}
	return filepath.Join(s.l.Issues(), name+cardSuffix)
}

// issueChange turns what the rules decided into what is written.
func issueChange(c board.Change) (change, error) {
	out := change{id: c.Issue.ID, event: *c.Event}
	if c.Gone {
		return out, nil
	}
	data, err := board.EncodeIssue(c.Issue)
	out.data = data
	return out, err
}

// apply writes what a verb decided, as one.
func (w *writer) apply(verb []board.Change) error {
	var out []change
	for _, c := range verb {
		if c.Event == nil {
			continue
		}
		ch, err := issueChange(c)
		if err != nil {
			return err
		}
		out = append(out, ch)
	}
	switch {
	case len(out) == 0:
		return w.touch(verb)
	case len(out) == 1:
		return w.commit(out[0])
	}
	return w.commitAll(out)
}

// touch writes cards whose content did not change.
func (w *writer) touch(verb []board.Change) error {
	o := w.s.o.atomic()
	o.TempDir = w.s.l.Staging()
	for _, c := range verb {
		if !c.Write {
			continue
		}
		data, err := board.EncodeIssue(c.Issue)
		if err != nil {
			return err
		}
		if err := atomicfile.WriteFile(w.s.l.IssueFile(c.Issue.ID), data, 0o600, o); err != nil {
			return fmt.Errorf("write issue %s: %w", c.Issue.ID, err)
		}
	}
	return nil
}

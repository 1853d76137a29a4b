package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/board"
	"iterion/native/jsonl"
)

// verbFile is .verb.json: a verb over several cards, to be redone to its end.
type verbFile struct {
	Changes []verbChange `json:"changes"` // in the order of their seq
}

type verbChange struct {
	Seq   int64           `json:"seq"`
	ID    string          `json:"id"`   // of the card, or boardName
	Card  json.RawMessage `json:"card"` // its record; null: the card goes
	Event json.RawMessage `json:"event"`
}

// commitAll makes several changes one: the verb file is the commit of them all.
func (w *writer) commitAll(changes []change) error {
	tip, err := w.s.log.tip()
	if err != nil {
		return err
	}
	v, err := newVerb(changes, tip+1)
	if err != nil {
		return err
	}
	all, err := w.stageAll(v.Changes)
	if err != nil {
		return err
	}
	if err := w.writeVerb(v); err != nil {
		return errors.Join(err, w.unstage(all...))
	}
	w.s.crash("verb written")
	if err := w.finishVerb(v.Changes, all); err != nil {
		return fmt.Errorf("%w: the rest follows with the next write: %w", board.ErrAmbiguous, err)
	}
	return nil
}

func newVerb(changes []change, first int64) (verbFile, error) {
	var v verbFile
	for n, c := range changes {
		c.event.Seq = first + int64(n)
		line, err := board.EncodeEvent(c.event)
		if err != nil {
			return verbFile{}, err
		}
		v.Changes = append(v.Changes, verbChange{Seq: c.event.Seq, ID: c.id, Card: c.data, Event: line})
	}
	return v, nil
}

// writeVerb leaves no verb file when it fails. But when a sync fails behind its
// renaming, nobody can say that a power cut does not bring it back.
func (w *writer) writeVerb(v verbFile) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the verb: %w", err)
	}
	o := w.s.o.atomic()
	o.TempDir = w.s.l.Staging()
	if err := atomicfile.WriteFile(w.s.l.verb(), data, 0o600, o); err != nil {
		err = fmt.Errorf("write the verb: %w", err)
		if os.Remove(w.s.l.verb()) == nil {
			err = fmt.Errorf("%w: %w", board.ErrAmbiguous, err)
		}
		return err
	}
	return nil
}

// stageAll stages each change, or none.
func (w *writer) stageAll(changes []verbChange) (all []staged, err error) {
	for _, c := range changes {
		data, err := c.content()
		if err != nil {
			return nil, errors.Join(err, w.unstage(all...))
		}
		st, err := w.stage(c.Seq, c.ID, data)
		if err != nil {
			return nil, errors.Join(err, w.unstage(all...))
		}
		all = append(all, st)
	}
	return all, nil
}

// finishVerb makes changes that are all staged. The file's removal is not synced:
// a verb file that comes back is found to be done.
func (w *writer) finishVerb(changes []verbChange, all []staged) error {
	lines := make([][]byte, len(changes))
	for n, c := range changes {
		lines[n] = c.Event
	}
	if err := w.append(changes[0].Seq, lines); err != nil {
		return err
	}
	for n, c := range changes {
		if err := w.place(all[n], c.gone()); err != nil {
			return err
		}
	}
	return w.endVerb()
}

func (w *writer) endVerb() error {
	w.s.crash("verb done")
	return os.Remove(w.s.l.verb())
}

// append adds the lines of the events from seq first on to the log, each by
// itself, and makes them durable together.
func (w *writer) append(first int64, lines [][]byte) error {
	for n, line := range lines {
		if err := w.s.log.write(first+int64(n), line); err != nil {
			return err
		}
		w.s.crash("committed")
	}
	err := errors.Join(w.s.log.sync(), atomicfile.SyncDir(w.s.l.Dispatcher(), w.s.o.atomic()))
	if err != nil {
		return fmt.Errorf("%w: sync the log: %w", jsonl.ErrUnsure, err)
	}
	return nil
}

// gone says that the record goes.
func (c verbChange) gone() bool { return len(c.Card) == 0 || string(c.Card) == "null" }

// content is the record as its own file holds it.
func (c verbChange) content() ([]byte, error) {
	if c.gone() {
		return nil, nil
	}
	if c.ID == boardName {
		s, err := board.DecodeSchema(c.Card)
		if err != nil {
			return nil, err
		}
		return board.EncodeSchema(s)
	}
	i, err := board.DecodeIssue(c.Card)
	if err != nil {
		return nil, err
	}
	return board.EncodeIssue(i)
}

func (w *writer) redoVerb() error {
	data, err := os.ReadFile(w.s.l.verb())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, syscall.EISDIR) {
		return w.setVerbAside(err)
	}
	if err != nil {
		return err
	}
	tip, err := w.s.log.tip()
	if err != nil {
		return err
	}
	v, err := parseVerb(data, tip)
	if err != nil {
		return w.setVerbAside(err)
	}
	rest := slices.DeleteFunc(v.Changes, func(c verbChange) bool { return c.Seq <= tip })
	if len(rest) == 0 {
		return w.endVerb()
	}
	all, err := w.stageAll(rest)
	if err != nil {
		return err
	}
	return w.finishVerb(rest, all)
}

// parseVerb refuses what would not go on gaplessly from tip.
func parseVerb(data []byte, tip int64) (verbFile, error) {
	var v verbFile
	if err := json.Unmarshal(data, &v); err != nil {
		return v, err
	}
	if len(v.Changes) == 0 {
		return v, errors.New("it names no changes")
	}
	for n, c := range v.Changes {
		e, err := board.DecodeEvent(c.Event)
		switch {
		case err != nil:
			return v, err
		case e.Seq != c.Seq || eventRecord(e) != c.ID || c.ID != boardName && board.CheckID(c.ID) != nil:
			return v, fmt.Errorf("change %d and its event do not agree", n)
		case c.ID == boardName && c.gone():
			return v, fmt.Errorf("change %d takes the board away", n)
		case c.Seq != v.Changes[0].Seq+int64(n) || v.Changes[0].Seq > tip+1:
			return v, fmt.Errorf("change %d has seq %d where the log ends at %d", n, c.Seq, tip)
		}
	}
	return v, nil
}

// asideName is where an unreadable file goes that another takes the place of.
func asideName(path string) string {
	return fmt.Sprintf("%s.unreadable-%d", path, time.Now().UnixNano())
}

// setVerbAside keeps a verb file that nobody can redo, out of the way.
func (w *writer) setVerbAside(why error) error {
	aside := asideName(w.s.l.verb())
	if err := os.Rename(w.s.l.verb(), aside); err != nil {
		return err
	}
	w.s.o.Log.Error("a change over several cards was left half-way and cannot be redone", "kept", aside, "err", why)
	return nil
}

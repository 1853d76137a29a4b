package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"iterion/daemon/dispatch"
	"iterion/native/atomicfile"
)

// exclusive runs a short function under the store's writer lock.
type exclusive interface {
	Exclusive(ctx context.Context, fn func() error) error
}

// journal is claims.json: the claims of every daemon of the store. It is changed
// only under the writer lock and replaced as a whole. Entries of others are
// written back as they were read, and keys that nobody here knows stay in entries
// that change.
//
// A file that cannot be read is never taken for an empty one: it may name runs
// that are alive. Every method then refuses, and the file is left for a person.
type journal struct {
	path  string
	store exclusive
	alive func(owner string) (bool, error) // owner lock held
	o     atomicfile.Options
}

var _ dispatch.Journal = (*journal)(nil)

// line is one element of the file: the entry and how it was written.
type line struct {
	entry dispatch.JournalEntry
	raw   json.RawMessage
}

// newLine is an entry in the place of what was written of it before.
func newLine(e dispatch.JournalEntry, old json.RawMessage) (line, error) {
	raw, err := encodeOver(e, old)
	if err != nil {
		return line{}, fmt.Errorf("encode claim journal: %w", err)
	}
	return line{e, raw}, nil
}

// Put writes or replaces an owner's entry of a card under a marker. The entries of
// others stay, and so do those that the owner adopted of other claims: a daemon that
// came too late for a card must not wipe out its holder's.
func (j *journal) Put(ctx context.Context, e dispatch.JournalEntry) error {
	return j.change(ctx, func(lines []line) ([]line, error) {
		old := line{entry: e}
		i := slices.IndexFunc(lines, old.sameKey)
		if i >= 0 {
			old = lines[i]
		}
		fresh, err := newLine(e, old.raw)
		if err != nil || i < 0 {
			return append(lines, fresh), err
		}
		lines[i] = fresh
		return lines, nil
	})
}

// Remove drops the entry of a card that owner has under a marker.
func (j *journal) Remove(ctx context.Context, issueID, owner, marker string) error {
	return j.change(ctx, func(lines []line) ([]line, error) {
		return slices.DeleteFunc(lines, func(l line) bool {
			return l.entry.IssueID == issueID && l.entry.Owner == owner && l.entry.Marker == marker
		}), nil
	})
}

// Entries returns all entries, every owner's.
func (j *journal) Entries(context.Context) ([]dispatch.JournalEntry, error) {
	lines, err := j.read()
	return entriesOf(lines), err
}

// Adopt gives the entries of daemons that are provably dead to owner and returns
// all that are owner's now.
func (j *journal) Adopt(ctx context.Context, owner string) ([]dispatch.JournalEntry, error) {
	var ours []dispatch.JournalEntry
	err := j.change(ctx, func(lines []line) ([]line, error) {
		ours = nil
		busy := cardsOf(lines, owner)
		for i, l := range lines {
			if l.entry.Owner != owner && busy[l.entry.IssueID] {
				continue
			}
			adopted, err := j.adopt(l, owner)
			if err != nil {
				return nil, err
			}
			if adopted.entry.Owner == owner {
				lines[i], ours = adopted, append(ours, adopted.entry)
			}
		}
		return lines, nil
	})
	return ours, err
}

// cardsOf are the cards that an owner has entries of.
func cardsOf(lines []line, owner string) map[string]bool {
	cards := map[string]bool{}
	for _, l := range lines {
		if l.entry.Owner == owner {
			cards[l.entry.IssueID] = true
		}
	}
	return cards
}

// adopt returns a line as owner's when its own owner is dead.
func (j *journal) adopt(l line, owner string) (line, error) {
	if l.entry.Owner == owner {
		return l, nil
	}
	alive, err := j.alive(l.entry.Owner)
	if err != nil {
		return l, fmt.Errorf("adopt claim of %s: %w", l.entry.IssueID, err)
	}
	if alive {
		return l, nil
	}
	l.entry.Owner = owner
	return newLine(l.entry, l.raw)
}

// change reads, changes and writes the file in one step of the whole store.
func (j *journal) change(ctx context.Context, edit func([]line) ([]line, error)) error {
	return j.store.Exclusive(ctx, func() error {
		lines, err := j.read()
		if err != nil {
			return err
		}
		before := slices.Clone(lines)
		after, err := edit(lines)
		if err != nil || slices.EqualFunc(before, after, sameLine) {
			return err
		}
		return j.write(after)
	})
}

func (j *journal) read() ([]line, error) {
	data, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read claim journal: %w", err)
	}
	lines, err := parseJournal(data)
	if err != nil {
		err = fmt.Errorf("claim journal %s is unreadable: %w; nothing is dispatched until it is mended or moved away", j.path, err)
	}
	return lines, err
}

func parseJournal(data []byte) ([]line, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(data, &raws); err != nil {
		return nil, err
	}
	lines := make([]line, len(raws))
	for i, raw := range raws {
		lines[i].raw = raw
		if err := json.Unmarshal(raw, &lines[i].entry); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		if lines[i].entry.IssueID == "" || lines[i].entry.Owner == "" {
			return nil, fmt.Errorf("entry %d names no card or no owner", i)
		}
	}
	return lines, nil
}

func (j *journal) write(lines []line) error {
	raws := make([]json.RawMessage, len(lines))
	for i, l := range lines {
		raws[i] = l.raw
	}
	data, err := json.MarshalIndent(raws, "", "  ")
	if err != nil {
		return fmt.Errorf("encode claim journal: %w", err)
	}
	if err := atomicfile.WriteFile(j.path, append(data, '\n'), 0o600, j.o); err != nil {
		return fmt.Errorf("write claim journal: %w", err)
	}
	return nil
}

func sameLine(a, b line) bool { return string(a.raw) == string(b.raw) }

// sameKey reports whether two lines are one owner's entries of one claim.
func (l line) sameKey(other line) bool {
	a, b := l.entry, other.entry
	return a.IssueID == b.IssueID && a.Owner == b.Owner && a.Marker == b.Marker
}

func entriesOf(lines []line) []dispatch.JournalEntry {
	entries := make([]dispatch.JournalEntry, len(lines))
	for i, l := range lines {
		entries[i] = l.entry
	}
	return entries
}

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"iterion/daemon/dispatch"
	"iterion/native/atomicfile"
)

// ledger is retries.json, a list of entries. Several daemons keep their cards in it,
// so Save touches only those that it is given.
type ledger struct {
	path  string
	store exclusive
	o     atomicfile.Options
}

var _ dispatch.Ledger = (*ledger)(nil)

// Load returns all entries by card. A file that cannot be read is an error, never
// an empty ledger: attempts that were spent stay spent.
func (l *ledger) Load(context.Context) (map[string]dispatch.RetryEntry, error) {
	raws, err := l.read()
	if err != nil {
		return nil, err
	}
	entries := make(map[string]dispatch.RetryEntry, len(raws))
	for id, raw := range raws {
		var e dispatch.RetryEntry
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, l.unreadable(err)
		}
		entries[id] = e
	}
	return entries, nil
}

// Save makes entries durable; a zero one drops what is kept of its card. Keys that
// nobody here knows stay.
func (l *ledger) Save(ctx context.Context, entries map[string]dispatch.RetryEntry) error {
	return l.store.Exclusive(ctx, func() error {
		file, err := l.read()
		if err != nil {
			return err
		}
		for id, e := range entries {
			if e == (dispatch.RetryEntry{}) {
				delete(file, id)
			} else if file[id], err = encodeOver(e, file[id]); err != nil {
				return fmt.Errorf("encode retry ledger: %w", err)
			}
		}
		return l.write(file)
	})
}

// read returns the entries by card, as they are written.
func (l *ledger) read() (map[string]json.RawMessage, error) {
	entries := map[string]json.RawMessage{}
	data, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return entries, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read retry ledger: %w", err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, l.unreadable(err)
	}
	for _, raw := range list {
		var e dispatch.RetryEntry
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, l.unreadable(err)
		}
		entries[e.IssueID] = raw
	}
	return entries, nil
}

func (l *ledger) unreadable(err error) error {
	return fmt.Errorf("retry ledger %s is unreadable: %w; mend it or move it away", l.path, err)
}

func (l *ledger) write(entries map[string]json.RawMessage) error {
	list := make([]json.RawMessage, 0, len(entries))
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		list = append(list, entries[id])
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("encode retry ledger: %w", err)
	}
	if err := atomicfile.WriteFile(l.path, append(data, '\n'), 0o600, l.o); err != nil {
		return fmt.Errorf("write retry ledger: %w", err)
	}
	return nil
}

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
func (l *ledger) Load(context.Context) (map[string]dispatch.RetryEntry, error) { return l.read() }

// Save makes entries durable; a zero one drops what is kept of its card.
func (l *ledger) Save(ctx context.Context, entries map[string]dispatch.RetryEntry) error {
	return l.store.Exclusive(ctx, func() error {
		file, err := l.read()
		if err != nil {
			return err
		}
		for id, e := range entries {
			if file[id] = e; e == (dispatch.RetryEntry{}) {
				delete(file, id)
			}
		}
		return l.write(file)
	})
}

func (l *ledger) read() (map[string]dispatch.RetryEntry, error) {
	entries := map[string]dispatch.RetryEntry{}
	data, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return entries, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read retry ledger: %w", err)
	}
	var list []dispatch.RetryEntry
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("retry ledger %s is unreadable: %w; mend it or move it away", l.path, err)
	}
	for _, e := range list {
		entries[e.IssueID] = e
	}
	return entries, nil
}

func (l *ledger) write(entries map[string]dispatch.RetryEntry) error {
	list := make([]dispatch.RetryEntry, 0, len(entries))
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

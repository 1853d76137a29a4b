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
	"sync"

	"iterion/daemon/dispatch"
	"iterion/native/atomicfile"
)

// ledger is retries.json, a list of entries. Several daemons may keep their
// cards in it, so Save writes only what changed since this one's last Load or
// Save and leaves the entries of others as they are.
type ledger struct {
	path  string
	store exclusive
	o     atomicfile.Options

	mu    sync.Mutex
	known map[string]dispatch.RetryEntry
}

var _ dispatch.Ledger = (*ledger)(nil)

// Load returns all entries by card. A file that cannot be read is an error, never
// an empty ledger: attempts that were spent stay spent.
func (l *ledger) Load(context.Context) (map[string]dispatch.RetryEntry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries, err := l.read()
	if err != nil {
		return nil, err
	}
	l.known = maps.Clone(entries)
	return entries, nil
}

// Save makes entries durable.
func (l *ledger) Save(ctx context.Context, entries map[string]dispatch.RetryEntry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.store.Exclusive(ctx, func() error {
		file, err := l.read()
		if err != nil {
			return err
		}
		l.merge(file, entries)
		return l.write(file)
	})
	if err == nil {
		l.known = maps.Clone(entries)
	}
	return err
}

// merge brings what changed since the last look into the file's entries.
func (l *ledger) merge(file, entries map[string]dispatch.RetryEntry) {
	for id, e := range entries {
		if old, ok := l.known[id]; !ok || old != e {
			file[id] = e
		}
	}
	for id := range l.known {
		if _, ok := entries[id]; !ok {
			delete(file, id)
		}
	}
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

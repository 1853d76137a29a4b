package native

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"iterion/native/board"
	"iterion/native/jsonl"
)

// Archive is a file of events that have left the log.
type Archive struct {
	Path        string
	First, Last int64 // seq
}

// Archives returns the store's archives, the oldest first, by their names alone.
func (l Layout) Archives() ([]Archive, error) {
	entries, err := os.ReadDir(l.Dispatcher())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for archives of the log: %w", err)
	}
	var all []Archive
	for _, e := range entries {
		if a, ok := l.parseArchive(e.Name()); ok {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b Archive) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last))
	})
	return all, nil
}

func (l Layout) parseArchive(name string) (Archive, bool) {
	span, ok := strings.CutPrefix(name, "events-")
	from, to, cut := strings.Cut(strings.TrimSuffix(span, ".jsonl.gz"), "-")
	first, err := strconv.ParseInt(from, 10, 64)
	last, lerr := strconv.ParseInt(to, 10, 64)
	a := Archive{Path: l.archive(first, last), First: first, Last: last}
	ok = ok && cut && err == nil && lerr == nil && first <= last
	return a, ok && filepath.Base(a.Path) == name
}

// Scan hands each line of the archive to fn, as jsonl.Scan does.
func (a Archive) Scan(fn func(jsonl.Line) error) error {
	f, err := os.Open(a.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err == nil {
		_, err = jsonl.Read(z, fn)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", a.Path, err)
	}
	return nil
}

// readArchives returns the events behind after that are no longer in the log.
func (g *eventLog) readArchives(after int64, limit int) ([]board.Event, error) {
	begins, err := firstSeq(g.l.Events())
	if err != nil || begins <= after+1 {
		return nil, err
	}
	all, err := g.l.Archives()
	if err != nil {
		return nil, err
	}
	var out []board.Event
	for _, a := range all {
		if a.Last <= after || a.First >= begins {
			continue
		}
		err := a.Scan(func(l jsonl.Line) error {
			if e, ok := g.decode(l, after); ok && e.Seq < begins {
				out, after = append(out, e), e.Seq
			}
			if limit > 0 && len(out) == limit {
				return jsonl.ErrStop
			}
			return nil
		})
		if err != nil {
			g.o.Log.Warn("an archive of the log cannot be read; the rest of its events is passed over", "err", err)
		}
		if limit > 0 && len(out) == limit {
			break
		}
	}
	return out, nil
}

// firstSeq is the seq that a log begins with; one that is empty begins behind
// everything.
func firstSeq(path string) (int64, error) {
	first := int64(math.MaxInt64)
	_, err := jsonl.Scan(path, 0, func(l jsonl.Line) error {
		seq, ok := l.Seq()
		if !ok {
			return nil
		}
		first = seq
		return jsonl.ErrStop
	})
	return first, err
}

// archivedTip is the highest seq in the archives, -1 for none.
func (l Layout) archivedTip() (int64, error) {
	all, err := l.Archives()
	tip := int64(-1)
	for _, a := range all {
		tip = max(tip, a.Last)
	}
	return tip, err
}

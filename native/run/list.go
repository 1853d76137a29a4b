package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Query selects runs. Empty dimensions match all; several statuses are
// alternatives.
type Query struct {
	Statuses []Status
	Bot      string
	IssueID  string
	Since    time.Time // made then or later
	Limit    int       // 0: all
}

func (q Query) matches(r Record) bool {
	return (len(q.Statuses) == 0 || slices.Contains(q.Statuses, r.Status)) &&
		(q.Bot == "" || q.Bot == r.Bot) &&
		(q.IssueID == "" || q.IssueID == r.Source.IssueID) &&
		!r.CreatedAt.Before(q.Since)
}

// Listing is what List found.
type Listing struct {
	Records []Record // newest first
	// Broken names runs whose record cannot be read. They may match the query or
	// not; nobody knows.
	Broken []Broken
}

// Broken is a run whose record cannot be read.
type Broken struct {
	ID   string
	Err  error
	Live bool // its lock is held, or that cannot be told: treat it as running
}

// List returns the runs that q selects, newest first by id. With a limit it stops
// reading as soon as it has enough.
func (d *Dir) List(q Query) (Listing, error) {
	ids, err := d.IDs()
	if err != nil {
		return Listing{}, err
	}
	var l Listing
	for _, id := range ids {
		if q.Limit > 0 && len(l.Records) >= q.Limit {
			break
		}
		rec, err := d.read(id)
		switch {
		case errors.Is(err, ErrNotFound): // removed since the folder was read
		case err != nil:
			l.Broken = append(l.Broken, d.broken(id, err))
		case q.matches(rec):
			l.Records = append(l.Records, rec)
		}
	}
	return l, nil
}

func (d *Dir) broken(id string, err error) Broken {
	held, perr := d.Locked(id)
	return Broken{ID: id, Err: err, Live: held || perr != nil}
}

// IDs returns the ids of all runs, newest first.
func (d *Dir) IDs() ([]string, error) {
	entries, err := os.ReadDir(d.root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	ids := make([]string, 0, len(entries))
	for _, e := range entries {
		if e.IsDir() && plainName(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids, nil
}

// minRef is how much of an id must be typed.
const minRef = 4

// Resolve turns what people type into the id of a run: a full id, or at least
// four characters that begin or end exactly one id. Both ends count because ids
// made within a minute begin alike; Short shows the end. Errors: ErrNotFound,
// *AmbiguousError, ErrInvalid.
func (d *Dir) Resolve(ref string) (string, error) {
	if len(ref) < minRef || !plainName(ref) {
		return "", fmt.Errorf("run %q: give at least %d characters of its id: %w", ref, minRef, ErrInvalid)
	}
	ids, err := d.IDs()
	if err != nil {
		return "", err
	}
	want := strings.ToLower(ref)
	var found []string
	for _, id := range ids {
		if id == ref {
			return id, nil
		}
		if low := strings.ToLower(id); strings.HasPrefix(low, want) || strings.HasSuffix(low, want) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("run %s: %w", ref, ErrNotFound)
	case 1:
		return found[0], nil
	}
	return "", &AmbiguousError{Ref: ref, IDs: found}
}

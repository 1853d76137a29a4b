package hostcron

import (
	"context"
	"errors"
	"time"
)

// Manifest is what a file says.
type Manifest struct {
	Path    string
	Missing bool // there is no file; it has no rows
	Rows    []Row
	Odd     []Problem // of the file as a whole; it works all the same
}

// Row is one entry of the manifest, usable or not.
type Row struct {
	Schedule
	Line     int       // from 1
	Problems []Problem // that keep it from being used; empty: none
	Odd      []Problem // warnings
}

// Err returns the row's problems as an *Error, or nil.
func (r Row) Err() error {
	if len(r.Problems) == 0 {
		return nil
	}
	return &Error{r.Problems}
}

// Load reads a manifest. A file that does not exist has no rows; one that cannot be
// read as YAML is an *Error with its line. host is the zone of rows without one.
func Load(path string, host *time.Location) (*Manifest, error) {
	return nil, errors.ErrUnsupported
}

// Find returns the row of a name, also one with problems. Errors: *UnknownError.
func (m *Manifest) Find(name string) (Row, error) {
	return Row{}, errors.ErrUnsupported
}

// Editor changes a manifest. All its verbs return *Error (ErrInvalid) for what
// cannot be validated, and write nothing then.
type Editor struct {
	Paths   Paths
	Host    *time.Location
	NoFsync bool
	Now     func() time.Time // nil: time.Now
}

// Add appends a row, making the file when it is missing, and arms the schedule.
// Errors: ErrExists.
func (e Editor) Add(ctx context.Context, s Schedule) error { return errors.ErrUnsupported }

// Remove takes a row out and returns it as it was. State and log of the schedule
// stay.
func (e Editor) Remove(ctx context.Context, name string) (Row, error) {
	return Row{}, errors.ErrUnsupported
}

// SetDisabled switches a row off or on, and arms the schedule that comes on.
// changed is false when it was so already.
func (e Editor) SetDisabled(ctx context.Context, name string, off bool) (changed bool, err error) {
	return false, errors.ErrUnsupported
}

// Update changes a row by what fn does to it; the name stays. Only the keys that
// differ are written. changed is false when none does.
func (e Editor) Update(ctx context.Context, name string, fn func(*Schedule) error) (changed bool, err error) {
	return false, errors.ErrUnsupported
}

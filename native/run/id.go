package run

import "github.com/google/uuid"

// NewID returns an id for a new run: a UUIDv7, so that ids sort by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Short returns the last eight characters of an id. The first ones are the time
// and alike for runs of the same minute; the last ones tell runs apart, and
// Resolve takes them.
func Short(id string) string { return id[max(0, len(id)-8):] }

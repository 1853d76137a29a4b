// Package stream holds what the streams of all agent command lines have in common:
// lines of JSON that are read whatever is in them, texts that go into a log and onto
// a screen, totals that never fall, and the last words of standard error.
package stream

import (
	"bytes"
	"encoding/json"
	"errors"

	"iterion/bots/agent/internal/pattern"
)

// Decode reads a line into a struct and reports whether the line is a JSON object.
// A value of another type than the field's is passed over like an unknown field:
// one odd value must not cost the rest of the line.
func Decode(line []byte, into any) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	err := json.Unmarshal(line, into)
	var odd *json.UnmarshalTypeError
	return err == nil || errors.As(err, &odd)
}

// Count is a number of tokens. Anything that is no such number reads as 0.
type Count int64

// UnmarshalJSON never fails.
func (c *Count) UnmarshalJSON(data []byte) error {
	var n float64
	if json.Unmarshal(data, &n) == nil && n >= 0 && n <= maxTokens {
		*c = Count(n)
	}
	return nil
}

var id = pattern.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// ID returns s when it is a session id, and nothing otherwise: the id comes out of
// a stream and ends on a command line, where it must not pass for a flag.
func ID(s string) string {
	if !id.MatchString(s) {
		return ""
	}
	return s
}

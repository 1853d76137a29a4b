package audit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"iterion/sched/gate"
)

// Filter selects records. Empty fields select all.
type Filter struct {
	Name, ID  string // of the schedule
	Surface   gate.Surface
	Since     time.Time // decided then or later
	Until     time.Time // decided before
	Decisions []gate.Decision
	// Tail selects only so many of them, the newest. Less than 0: none, which is for
	// Follow.
	Tail int
}

func (f Filter) matches(r gate.Record) bool {
	return (f.Name == "" || f.Name == r.ScheduleName) &&
		(f.ID == "" || f.ID == r.ScheduleID) &&
		(f.Surface == "" || f.Surface == r.Surface) &&
		(f.Since.IsZero() || !r.At.Before(f.Since)) &&
		(f.Until.IsZero() || r.At.Before(f.Until)) &&
		(len(f.Decisions) == 0 || slices.Contains(f.Decisions, r.Decision))
}

// Stats tell of lines that were passed over while reading.
type Stats struct {
	Torn    int // no record
	Unknown int // of a schema that is newer than this program
	Newest  int // the highest such schema
}

func (s *Stats) count(r gate.Record, k kind) {
	switch k {
	case torn:
		s.Torn++
	case unknown:
		s.Unknown++
		s.Newest = max(s.Newest, r.Schema)
	}
}

// kind is what a line is.
type kind int

const (
	record kind = iota
	torn
	unknown
	blank
)

// decode reads a line. Of an unknown one only the schema is known.
func decode(line []byte) (gate.Record, kind) {
	if line != nil && len(bytes.TrimSpace(line)) == 0 {
		return gate.Record{}, blank
	}
	var r gate.Record
	err := json.Unmarshal(line, &r)
	if err != nil { // a newer one may have other types
		var head struct {
			Schema int `json:"schema"`
		}
		if json.Unmarshal(line, &head) == nil && head.Schema > gate.Schema {
			return gate.Record{Schema: head.Schema}, unknown
		}
		return gate.Record{}, torn
	}
	switch {
	case r.Schema > gate.Schema:
		return gate.Record{Schema: r.Schema}, unknown
	case r.Decision == "":
		return gate.Record{}, torn
	}
	return r, record
}

// sieve throws out most of the lines that a filter does not select before they are
// decoded, which is the costly part: of each group, one must occur in the line.
type sieve [][][]byte

func sieveOf(f Filter) sieve {
	var s sieve
	add := func(values ...string) {
		var group [][]byte
		for _, v := range values {
			if v == "" || !plain(v) {
				return // it could be written in several ways
			}
			group = append(group, []byte(`"`+v+`"`))
		}
		if len(group) > 0 {
			s = append(s, group)
		}
	}
	add(f.Name)
	add(f.ID)
	add(string(f.Surface))
	decisions := make([]string, len(f.Decisions))
	for i, d := range f.Decisions {
		decisions[i] = string(d)
	}
	add(decisions...)
	return s
}

// plain reports whether there is one way to write v as a JSON string.
func plain(v string) bool {
	return !strings.ContainsFunc(v, func(r rune) bool {
		return r < ' ' || r > '~' || strings.ContainsRune(`"\/<>&'+`, r)
	})
}

func (s sieve) passes(line []byte) bool {
	for _, group := range s {
		if !slices.ContainsFunc(group, func(v []byte) bool { return bytes.Contains(line, v) }) {
			return false
		}
	}
	return true
}

// outside reports whether a line tells at a glance that its record is not of the
// filter's span.
func (f Filter) outside(line []byte) bool {
	if f.Since.IsZero() && f.Until.IsZero() {
		return false
	}
	at, ok := glance(line)
	return ok && (at.Before(f.Since) || !f.Until.IsZero() && !at.Before(f.Until))
}

// glance returns when the record of a line was decided, without decoding it. It does
// not always know.
func glance(line []byte) (time.Time, bool) {
	name := []byte(`"at":"`)
	i := bytes.Index(line, name)
	if i < 0 {
		return time.Time{}, false
	}
	rest := line[i+len(name):]
	j := bytes.IndexByte(rest, '"')
	if j < 0 || bytes.Contains(rest, name) { // an unknown field may hold one of its own
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, string(rest[:j]))
	return at, err == nil
}

// whole reports whether a line that is not decoded looks like a record.
func whole(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '{' && line[len(line)-1] == '}'
}

package audit

import (
	"bytes"
	"testing"
	"time"

	"iterion/sched/gate"
)

// FuzzSieve: what a filter selects passes its sieve and its glance, whatever the
// names are.
func FuzzSieve(f *testing.F) {
	f.Add("nightly", "id-1", "reason", int64(0))
	f.Add(`a"b\c`, "ü<&>", `"at":"2020-01-01T00:00:00Z"`, int64(1e18))
	f.Add("\u2028", "\xff", "\n", int64(-1e18))
	f.Fuzz(func(t *testing.T, name, id, reason string, ns int64) {
		r := gate.Record{Surface: gate.Trigger, ScheduleID: id, ScheduleName: name, Reason: reason, Decision: gate.Missed,
			At: time.Unix(0, ns).UTC()}
		line, err := encode(r)
		if err != nil {
			t.Skip()
		}
		if bytes.ContainsRune(line, '\n') {
			t.Fatalf("more than one line: %q", line)
		}
		got, kind := decode(line)
		if kind != record || !got.At.Equal(r.At) {
			t.Fatalf("%q is read as %+v", line, got)
		}
		filter := Filter{Name: got.ScheduleName, ID: got.ScheduleID, Surface: gate.Trigger, Since: r.At, Until: r.At.Add(1),
			Decisions: []gate.Decision{gate.Fired, gate.Missed}}
		if !filter.matches(got) || !sieveOf(filter).passes(line) || filter.outside(line) || !whole(line) {
			t.Errorf("%q is thrown out", line)
		}
	})
}

// FuzzLine: no line stops a reader.
func FuzzLine(f *testing.F) {
	f.Add([]byte(`{"schema":1,"decision":"fired","at":"2026-03-01T12:00:00Z"}`))
	f.Add([]byte(`{"schema":9,"at":[1]}`))
	f.Add([]byte(`{"at":"`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, kind := decode(line)
		if kind == unknown && r.Schema <= gate.Schema {
			t.Errorf("%q is of schema %d", line, r.Schema)
		}
		instantOf(line)
		whole(line)
	})
}

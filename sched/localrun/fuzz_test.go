package localrun

import (
	"maps"
	"testing"

	"iterion/native/run"
)

// FuzzSources: what is written down is read back, and nothing else is believed.
func FuzzSources(f *testing.F) {
	f.Add("run", "schedule", true, []byte("x"))
	f.Add("a b", "", false, []byte(sourcesHead+"00000000\n"))
	f.Fuzz(func(t *testing.T, id, schedule string, ended bool, junk []byte) {
		s := decodeSources(junk)
		if n := len(s.of); n > 0 {
			t.Skip() // it happens to carry the right sum
		}
		rec := run.Record{ID: id, Status: run.Running, Source: run.Source{ScheduleID: schedule}}
		if ended {
			rec.Status = run.Finished
		}
		s.learn(rec)
		if got := decodeSources(s.encode([]string{id})); !maps.Equal(got.of, s.of) {
			t.Errorf("wrote %+v, read %+v", s.of, got.of)
		}
	})
}

package daemon

import (
	"flag"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
	"time"

	"iterion/native/run"
	"iterion/sched/gate"
	"iterion/sched/resident"
)

var clockKills = flag.Int("clockkills", 12, "kills of the daemon around the firing of its schedules; 200 is the full test")

// The daemon is killed again and again around slots that are due each second. In the
// end every slot was launched at most once and is told of by exactly one record.
func TestI7_KilledDaemonLaunchesEachSlotOnceAndRecordsIt(t *testing.T) {
	if testing.Short() {
		t.Skip("kills daemons for a while")
	}
	b := newLab(t)
	b.triggers(second("beat", "true", "overlap: allow"), second("slow", "true", "overlap: allow", "guard: sleep 0.3", "guard_timeout: 5s"))
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range *clockKills {
		kill := b.startProcess("")
		time.Sleep(time.Duration(rng.IntN(1800)) * time.Millisecond)
		kill()
	}
	// What is left undone is for the next one, at once or at the next slot.
	c, stop := b.start(b.options())
	armed := time.Now()
	b.until("the last intentions are dealt with", func() bool {
		rows, err := c.Schedules(t.Context())
		b.must(err)
		for _, r := range rows {
			if (r.ID == "beat" || r.ID == "slow") && (r.Deciding || r.Last == nil || r.Last.Slot.Before(armed.Truncate(time.Second).Add(2*time.Second))) {
				return false
			}
		}
		return true
	})
	stop()
	cal, err := resident.Read(b.l.ScheduleIntents())
	b.must(err)
	for _, id := range []string{"beat", "slow"} {
		b.checkSlots(id, cal[id])
	}
}

var spanned = regexp.MustCompile(`^(\d+) slots? from|^1 slot,`)

// checkSlots fails unless each slot of a schedule of one second that the calendar has
// dealt with is in exactly one record, and each launch in one that says fired.
func (b *lab) checkSlots(id string, e resident.Entry) {
	b.Helper()
	covered := map[int64]string{}
	fired := map[string]bool{}
	cover := func(t time.Time, what string) {
		if was := covered[t.Unix()]; was != "" {
			b.Errorf("%s: slot %s is %s and %s", id, t, was, what)
		}
		covered[t.Unix()] = what
	}
	oldest := e.Through
	for _, r := range b.ticks(id) {
		n := 1
		if r.Decision == gate.Missed {
			m := spanned.FindStringSubmatch(r.Reason)
			if m == nil {
				b.Fatalf("%s: missed record without a count: %q", id, r.Reason)
			}
			if m[1] != "" {
				n, _ = strconv.Atoi(m[1])
			}
		}
		for i := range n {
			slot := r.Slot.Add(-time.Duration(i) * time.Second)
			cover(slot, string(r.Decision))
			if slot.Before(oldest) {
				oldest = slot
			}
		}
		if r.RunID == "" {
			continue
		}
		if fired[r.RunID] {
			b.Errorf("%s: two records of run %s", id, r.RunID)
		}
		fired[r.RunID] = true
	}
	for t := oldest; !t.After(e.Through); t = t.Add(time.Second) {
		if covered[t.Unix()] == "" && (e.Intent == nil || t.Before(e.Intent.Slot)) {
			b.Errorf("%s: slot %s has no record", id, t)
		}
	}
	found, err := b.runs.List(run.Query{})
	b.must(err)
	launched := 0
	for _, rec := range found.Records {
		if rec.Source.ScheduleID == id {
			launched++
			if !fired[rec.ID] && (e.Intent == nil || e.Intent.RunID != rec.ID) {
				b.Errorf("%s: run %s has no record", id, rec.ID)
			}
		}
	}
	if launched == 0 || len(covered) < *clockKills/3 {
		b.Errorf("%s: only %d slots and %d launches", id, len(covered), launched)
	}
	b.Logf("%s: %d slots, %d launches", id, len(covered), launched)
}

package resident

import (
	"fmt"
	"testing"
	"time"

	"iterion/sched/trigger"
)

func thousand(n int) Rows {
	var in Rows
	for i := range n {
		in.Clocks = append(in.Clocks, trigger.Subscription{
			ID: fmt.Sprintf("s%d", i), BotID: "audit", Invocation: trigger.OnSchedule,
			Cron: fmt.Sprintf("%d %d * * *", i%60, i/60%24), TZ: "Europe/Berlin", Enabled: true,
		})
	}
	return in
}

// BenchmarkTick is one look at 1000 schedules of which one is due, with all that the
// scheduler's goroutine does around it. The bar is 20 ms.
func BenchmarkTick(b *testing.B) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := New(Options{Host: time.UTC, Now: func() time.Time { return start }})
	s.st.learnRows(understand(thousand(1000), time.UTC), start)
	now := start
	for b.Loop() {
		now = now.Add(time.Minute)
		for _, r := range s.st.tick(now) {
			s.st.finish(r.sub.ID, outcome{through: now}, now)
		}
		s.publish()
		s.st.wakeAt(now)
	}
}

// BenchmarkSave is what the calendar of 1000 schedules costs to write, less the disk.
func BenchmarkSave(b *testing.B) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := New(Options{Host: time.UTC, Now: func() time.Time { return start }})
	s.st.learnRows(understand(thousand(1000), time.UTC), start)
	path := b.TempDir() + "/c.json"
	o := newBed(nil, "").options().File
	for b.Loop() {
		if err := s.st.snapshotCalendar().write(path, o); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead is how long a reading of 1000 subscriptions keeps the scheduler's
// goroutine.
func BenchmarkRead(b *testing.B) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := New(Options{Host: time.UTC})
	in := understand(thousand(1000), time.UTC)
	for b.Loop() {
		s.st.learnRows(in, start)
	}
}

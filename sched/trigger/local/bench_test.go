package local

import (
	"testing"
	"time"

	"iterion/sched/trigger"
)

// BenchmarkAdd10000 makes 10,000 rows durable in batches of 500, as the spine does.
func BenchmarkAdd10000(b *testing.B) {
	for b.Loop() {
		box := outboxIn(b.TempDir(), Options{})
		for n := 0; n < 10000; n += 500 {
			var rows []trigger.Effect
			for m := n; m < n+500; m++ {
				rows = append(rows, testRow(m))
			}
			if err := box.Add(b.Context(), "board", int64(n), rows); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkLife is the claim and the end of one row among 10,000 others.
func BenchmarkLife(b *testing.B) {
	box := outboxIn(b.TempDir(), Options{})
	var rows []trigger.Effect
	for n := range 10000 {
		rows = append(rows, testRow(n))
	}
	if err := box.Add(b.Context(), "board", 0, rows); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		got, err := box.Claim(b.Context(), time.Now(), 1)
		if err != nil || len(got) == 0 {
			b.Fatal(got, err)
		}
		if err := box.Wait(b.Context(), got[0].ID, got[0].ClaimID, "held", time.Now(), time.Now()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen reads an outbox of 10,000 rows.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	var rows []trigger.Effect
	for n := range 10000 {
		rows = append(rows, testRow(n))
	}
	if err := outboxIn(dir, Options{}).Add(b.Context(), "board", 0, rows); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := outboxIn(dir, Options{}).Cursor(b.Context(), "board"); err != nil {
			b.Fatal(err)
		}
	}
}

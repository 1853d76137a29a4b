package dispatch

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"iterion/native/board"
)

const (
	benchCards = 10_000
	benchReady = 500
	// messageBar is how long a message to the actor may take, at p99.
	messageBar = time.Millisecond
	// actorBar is how many cards a second the dispatcher must be good for: more than
	// a small machine starts supervised processes. Each look at the board, which is in
	// memory here and is copied as a whole, fills the slots once.
	actorBar = 100
)

// BenchmarkActor measures what the dispatcher itself is good for, on a board of
// 10,000 cards in memory with 500 ready ones and 16 at once: how long a message takes
// while a call into the store is stuck, and how many cards a second go through it
// whose runs end at once. It takes its own samples, so one iteration is enough.
func BenchmarkActor(b *testing.B) {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nwhat\tmedian\tp99\tbar\t\t")
	for _, verb := range []string{"List", "Get", "Claim", "Renew"} {
		took := benchMessages(b, verb)
		p99 := took[len(took)*99/100]
		fmt.Fprintf(table, "message to the actor while %s is stuck for 10 s\t%v\t%v\t%v\t%s\t\n",
			verb, took[len(took)/2], p99, messageBar, verdictOf(p99 <= messageBar))
	}
	rate := benchThroughput(b)
	fmt.Fprintf(table, "cards a second through the dispatcher, runs that end at once\t%.0f\t-\t%d\t%s\t\n", rate, actorBar, verdictOf(rate >= actorBar))
	table.Flush()
	b.ReportMetric(0, "ns/op")
}

func verdictOf(holds bool) string {
	if holds {
		return "holds"
	}
	return "MISSED"
}

// benchBed is a bed with the big board, outside of any bubble.
func benchBed(b *testing.B, s func(Launch) script) *bed {
	bed := newBed(b)
	bed.cfg.MaxConcurrent, bed.runs.plan = 16, s
	for _, is := range bigBoard(benchCards, benchReady) {
		_, err := bed.board.Create(b.Context(), is, board.Cause{})
		bed.ok(err)
	}
	return bed
}

// benchMessages is how long messages take, sorted, while a call is stuck.
func benchMessages(b *testing.B, verb string) []time.Duration {
	bed := benchBed(b, func(Launch) script { return never })
	var hang atomic.Bool
	stuck := make(chan struct{}, 1000)
	ctx, end := context.WithCancel(b.Context())
	bed.board.Before = func(v, _ string) error {
		if v == verb && hang.Load() {
			stuck <- struct{}{}
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Second):
			}
		}
		return nil
	}
	bed.cfg.Lease = time.Second // so that it is renewed meanwhile
	l := bed.start()
	for len(bed.runs.all()) < 16 {
		time.Sleep(time.Millisecond)
	}
	hang.Store(true)
	if verb == "Claim" {
		bed.cfg.MaxConcurrent = 17 // one more
		bed.ok(l.Configure(b.Context(), bed.cfg))
	}
	l.Refresh()
	if verb == "Get" {
		go func() { _, _ = l.Why(ctx, bed.anyID()) }()
	}
	<-stuck
	var took []time.Duration
	for began := time.Now(); time.Since(began) < 2*time.Second; {
		reply, at := make(chan world, 1), time.Now()
		bed.ok(l.post(b.Context(), worldAsked{issueID: bed.anyID(), reply: reply}))
		<-reply
		took = append(took, time.Since(at))
		time.Sleep(100 * time.Microsecond)
	}
	end()
	l.quit()
	slices.Sort(took)
	return took
}

func (b *bed) anyID() string { return fmt.Sprintf("native:%08d-0000", 1) }

// benchThroughput is how many cards a second are worked.
func benchThroughput(b *testing.B) float64 {
	bed := benchBed(b, func(Launch) script { return finishes(0) })
	began := time.Now()
	l := bed.start()
	for l.Snapshot().Settled[Completed] < benchReady {
		if n := len(l.Snapshot().Errors); n > 0 {
			b.Fatal(strings.TrimSpace(fmt.Sprint(l.Snapshot().Errors)))
		}
		time.Sleep(time.Millisecond)
	}
	took := time.Since(began)
	l.quit()
	return benchReady / took.Seconds()
}

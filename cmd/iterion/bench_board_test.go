package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"text/tabwriter"
	"time"
)

// BenchmarkBoard measures what a board costs by its size: whole processes of the
// built program against the floor, a bare Go program plus the syncs that the
// verb owes, both of the same run. Like BenchmarkIterion it takes its own
// samples: go test -run '^$' -bench Board -benchtime 1x.
func BenchmarkBoard(b *testing.B) {
	bin, bare := buildProgram(b), buildBare(b, b.TempDir())
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nwhat\tmedian\tfloor\tbar\tpeak memory\tbar\t\t")
	for _, size := range []boardSize{
		{cards: 10, verb: 10, list: 10, top: 10, ready: 100},
		{cards: 10_000, verb: 12, list: 70, top: 45, ready: 250, cliMB: 40, daemonMB: 60},
		{cards: 10_000, events: 500_000, verb: 12, list: 70, top: 45, ready: 250, cliMB: 40, daemonMB: 60},
		{cards: 100_000, verb: 15, list: 700, top: 400, ready: 2000},
	} {
		for _, r := range benchSize(b, bin, bare, size) {
			fmt.Fprintln(table, r)
		}
	}
	for _, r := range append(benchSight(b, bin), benchCreates(b, bin)...) {
		fmt.Fprintln(table, r)
	}
	table.Flush()
	b.ReportMetric(0, "ns/op")
}

// boardSize is a board to measure, and the bars for it: milliseconds over the
// floor, from a daemon's start until it is ready, and megabytes at the peak. A
// bar of 0 is none.
type boardSize struct {
	cards, events          int
	verb, list, top, ready int
	cliMB, daemonMB        int
}

func (s boardSize) String() string {
	if s.events > 0 {
		return fmt.Sprintf("%d cards, %d events", s.cards, s.events)
	}
	return fmt.Sprintf("%d cards", s.cards)
}

// boardRow is one line of the table.
type boardRow struct {
	what       string
	took       time.Duration
	floor, bar time.Duration
	peak       int64 // bytes; 0: not measured
	peakBar    int64
	note       string
}

func (r boardRow) String() string {
	verdict := "holds"
	switch {
	case r.note != "":
		verdict = r.note
	case r.bar > 0 && r.took > r.bar || r.peakBar > 0 && r.peak > r.peakBar:
		verdict = "MISSED"
	case r.bar == 0 && r.peakBar == 0:
		verdict = ""
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t", r.what, orDash(r.took, ms), orDash(r.floor, ms), orDash(r.bar, ms),
		orDash(r.peak, mb), orDash(r.peakBar, mb), verdict)
}

func orDash[T time.Duration | int64](n T, text func(T) string) string {
	if n == 0 {
		return "-"
	}
	return text(n)
}

func mb(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/(1<<20)) }

// benchSize measures one board, lists first: those are of a board that nothing
// has changed since it was last listed.
func benchSize(b *testing.B, bin, bare string, size boardSize) []boardRow {
	w := benchWorld(b, bin)
	ids := fillBoard(b, w, size)
	w.ok("-q", "issue", "list", "--limit", "1") // makes the index
	w.ok("issue", "comment", ids[0], "the first write reads the log")
	time.Sleep(200 * time.Millisecond) // what was written just now is read again by the next look
	w.ok("-q", "issue", "list", "--limit", "1")

	m := &measured{b: b, w: w, bare: bare, size: size, ids: ids}
	rows := []boardRow{
		m.verb("issue list --json", size.list, 0, func(int) []string { return []string{"issue", "list", "--json"} }),
		m.verb("issue list --state ready --limit 20", size.top, 0, func(int) []string {
			return []string{"issue", "list", "--state", "ready", "--limit", "20"}
		}),
		m.verb("issue show", size.verb, 0, func(int) []string { return []string{"issue", "show", ids[0]} }),
		m.verb("issue move", size.verb, 1, func(n int) []string {
			return []string{"issue", "move", ids[0], "--to", []string{"ready", "backlog"}[n%2]}
		}),
		m.verb("issue create", size.verb, 1, func(int) []string { return []string{"issue", "create", "--title", "new"} }),
		m.verb("issue claim", size.verb, 1, func(n int) []string { return []string{"issue", "claim", ids[n], "--as", "bench"} }),
		m.verb("issue list (table)", 0, 0, func(int) []string { return []string{"issue", "list"} }),
		m.daemonStart(),
	}
	if err := os.RemoveAll(w.dir); err != nil { // a hundred thousand files: not only at the end
		b.Fatal(err)
	}
	return rows
}

const boardRuns = 5 // of each; the median counts

// measured takes the samples of one board.
type measured struct {
	b    *testing.B
	w    *world
	bare string
	size boardSize
	ids  []string
}

// verb measures a command that owes so many durable writes, in turn with the
// bare program and the syncs of those writes.
func (m *measured) verb(what string, over, writes int, args func(n int) []string) boardRow {
	var ours, bare []cost
	var floor []time.Duration
	for n := range boardRuns {
		bare = append(bare, start(m.b, m.bare, []string{m.bare}))
		began := time.Now()
		for range writes {
			durableWrite(m.b, m.w.path(fmt.Sprintf("floor-%d", n)))
		}
		floor = append(floor, time.Since(began))
		argv := append([]string{filepath.Join(m.w.bin, "iterion"), "--store-dir", m.w.path(".iterion")}, args(n)...)
		ours = append(ours, start(m.b, m.bare, argv))
	}
	r := boardRow{what: fmt.Sprintf("%s, %v", what, m.size), took: medianTime(ours), peak: peak(ours),
		floor: medianTime(bare), peakBar: int64(m.size.cliMB) << 20}
	if writes > 0 {
		r.floor += quantile(floor, 0.5)
	}
	if over > 0 {
		r.bar = r.floor + time.Duration(over)*time.Millisecond
	}
	return r
}

func medianTime(costs []cost) time.Duration {
	var times []time.Duration
	for _, c := range costs {
		times = append(times, c.time)
	}
	return quantile(times, 0.5)
}

func peak(costs []cost) (most int64) {
	for _, c := range costs {
		most = max(most, c.rss)
	}
	return most
}

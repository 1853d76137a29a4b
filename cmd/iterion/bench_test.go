package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"iterion/native/board"
)

// BenchmarkIterion measures the whole program, as its users start it, against a
// floor measured in the same run, and prints a table. It takes its own samples,
// so one iteration is enough: go test -run '^$' -bench Iterion -benchtime 1x.
func BenchmarkIterion(b *testing.B) {
	bin := buildProgram(b)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nwhat\tmedian\tp95\tfloor\tbar\t\t")
	for _, m := range []func(*testing.B, string) row{benchStart, benchCard, benchMoveToStart, benchAudit} {
		fmt.Fprintln(table, m(b, bin))
	}
	table.Flush()
	b.ReportMetric(0, "ns/op")
}

// row is one line of the table.
type row struct {
	what        string
	median, p95 time.Duration
	floor       time.Duration
	bar         time.Duration
	judged      time.Duration // what the bar is held against
}

func (r row) String() string {
	verdict := "holds"
	if r.judged > r.bar {
		verdict = "MISSED"
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t", r.what, ms(r.median), ms(r.p95), ms(r.floor), ms(r.bar), verdict)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

// benchStart is what every call pays: floor is a bare Go program.
func benchStart(b *testing.B, bin string) row {
	bare, ours := costs(b, buildBare(b, b.TempDir()), filepath.Join(bin, "iterion"), "version")
	return row{"iterion version (bar: floor + 5 ms)", ours.time, ours.time, bare.time, bare.time + costTime, ours.time}
}

// benchCard is what iterion adds to each card's own command, from claim to
// release, four cards at a time: floor is the same command started bare plus
// the fsyncs of the eight durable board writes a card owes.
func benchCard(b *testing.B, bin string) row {
	w := benchWorld(b, bin)
	times := w.path("times")
	const cards = 20
	for i := range cards {
		w.shell(fmt.Sprintf("card %d", i), fmt.Sprintf(
			`s=$(date +%%s%%N); sleep 0.2; echo "$ITERION_ISSUE_ID $s $(date +%%s%%N)" >>%q`, times))
	}
	w.ok("daemon", "--until-idle")
	w.settled(cards)

	own := commandTimes(b, times)
	held := claimTimes(b, w)
	var added []time.Duration
	for id, d := range held {
		added = append(added, d-own[id])
	}
	if len(added) != cards {
		b.Fatalf("%d cards measured, want %d", len(added), cards)
	}
	return row{"a card's own cost, claim to release", quantile(added, 0.5), quantile(added, 0.95),
		cardFloor(b, w), 60 * time.Millisecond, quantile(added, 0.5)}
}

// benchMoveToStart is the time from `issue move` returning... to the bot's first
// instruction, with the poll interval at its default of 30 s.
func benchMoveToStart(b *testing.B, bin string) row {
	w := benchWorld(b, bin)
	d := w.daemon()
	var took []time.Duration
	for i := range 40 {
		mark := w.path(fmt.Sprintf("mark-%d", i))
		id := w.ok("-q", "issue", "create", "--title", fmt.Sprintf("card %d", i), "--bot", "shell",
			"--bot-arg", fmt.Sprintf("command=date +%%s%%N >%q.new && mv %q.new %q", mark, mark, mark), "--state", "backlog")
		w.ok("issue", "move", id, "--to", "ready")
		moved := stateChangedAt(b, w, id, board.StateReady)
		w.eventually("the bot started", func() bool { _, err := os.Stat(mark); return err == nil })
		data, err := os.ReadFile(mark)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, nanos(b, strings.TrimSpace(string(data))).Sub(moved))
	}
	d.term()
	return row{"moved to ready -> bot runs", quantile(took, 0.5), quantile(took, 0.95), shellStart(b), 150 * time.Millisecond, quantile(took, 0.95)}
}

// benchWorld is a world that uses the program as it is shipped.
func benchWorld(b *testing.B, bin string) *world {
	w := bareWorld(b)
	w.bin = bin
	w.ok("init")
	return w
}

func buildProgram(b *testing.B) string {
	dir := b.TempDir()
	goBuild(b, ".", filepath.Join(dir, "iterion"), ".")
	return dir
}

// commandTimes reads what the bots noted of themselves: issue, start, end.
func commandTimes(b *testing.B, path string) map[string]time.Duration {
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	own := map[string]time.Duration{}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		own[f[0]] = nanos(b, f[2]).Sub(nanos(b, f[1]))
	}
	return own
}

func nanos(b *testing.B, s string) time.Time {
	var n int64
	if _, err := fmt.Sscan(s, &n); err != nil {
		b.Fatalf("%q: %v", s, err)
	}
	return time.Unix(0, n)
}

func benchEvents(b *testing.B, w *world) []board.Event {
	var evs []board.Event
	decode(b, w.ok("issue", "events", "--json"), &evs)
	return evs
}

// claimTimes is how long each card was claimed.
func claimTimes(b *testing.B, w *world) map[string]time.Duration {
	since, held := map[string]time.Time{}, map[string]time.Duration{}
	for _, e := range benchEvents(b, w) {
		switch e.Type {
		case board.EventIssueClaimed:
			since[e.IssueID] = e.Timestamp
		case board.EventIssueReleased:
			held[e.IssueID] = e.Timestamp.Sub(since[e.IssueID])
		}
	}
	return held
}

func stateChangedAt(b *testing.B, w *world, id, to string) time.Time {
	for _, e := range benchEvents(b, w) {
		if e.IssueID == id && e.Type == board.EventIssueStateChanged && e.Payload.To == to {
			return e.Timestamp
		}
	}
	b.Fatalf("%s never came to %s", id, to)
	return time.Time{}
}

// cardFloor is a bare shell plus eight times a durable write of a card-sized
// file with its folder and a log line: what a card owes whatever the program.
func cardFloor(b *testing.B, w *world) time.Duration {
	var writes []time.Duration
	for i := range 20 {
		began := time.Now()
		durableWrite(b, w.path(fmt.Sprintf("floor-%d", i)))
		writes = append(writes, time.Since(began))
	}
	return shellStart(b) + 8*quantile(writes, 0.5)
}

func durableWrite(b *testing.B, path string) {
	for _, step := range []func() error{
		func() error { return syncedWrite(path, os.O_CREATE|os.O_WRONLY) },
		func() error {
			return syncedWrite(filepath.Join(filepath.Dir(path), "floor.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY)
		},
		func() error { return syncFolder(filepath.Dir(path)) },
	} {
		if err := step(); err != nil {
			b.Fatal(err)
		}
	}
}

func syncedWrite(path string, flags int) error {
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, 1000)); err != nil {
		return err
	}
	return f.Sync()
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func shellStart(b *testing.B) time.Duration {
	var took []time.Duration
	for range 20 {
		began := time.Now()
		if err := exec.Command("sh", "-c", "true").Run(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	return quantile(took, 0.5)
}

func quantile(ds []time.Duration, q float64) time.Duration {
	s := slices.Sorted(slices.Values(ds))
	return s[min(len(s)-1, int(q*float64(len(s))))]
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"iterion/bots"
	"iterion/bots/supervise"
	"iterion/native"
	"iterion/native/board"
	"iterion/native/run"
)

const (
	dispatchCards = 200
	dispatchSlots = 16
)

// BenchmarkDispatch measures how many cards a second a daemon works whose bot does
// nothing, 16 at once, against the same runs without a daemon, which are the
// processes' part of it, and against the writes that the cards owe to the disk, one
// after the other. What the dispatcher itself could do is BenchmarkActor's.
func BenchmarkDispatch(b *testing.B) {
	bin := buildProgram(b)
	w := benchWorld(b, bin)
	bare := bareRuns(b, w)
	cards, cpu := dispatched(b, w)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nwhat\tdispatched\truns alone\tthe processes' share\twrites alone\tdaemon's own CPU\t")
	fmt.Fprintf(table, "%d cards, a bot that does nothing, %d at once\t%.1f/s\t%.1f/s\t%.0f %%\t%.1f/s\t%s a card\t\n",
		dispatchCards, dispatchSlots, perSecond(cards), perSecond(bare), 100*bare.Seconds()/cards.Seconds(),
		1/(cardFloor(b, w)-shellStart(b)).Seconds(), ms(cpu/dispatchCards))
	table.Flush()
	b.ReportMetric(0, "ns/op")
}

func perSecond(all time.Duration) float64 { return dispatchCards / all.Seconds() }

// bareRuns is how long as many runs take without cards.
func bareRuns(b *testing.B, w *world) time.Duration {
	bot, err := bots.NewRegistry(nil).Resolve("shell")
	if err != nil {
		b.Fatal(err)
	}
	runs := run.Open(w.layout().Runs(), run.Options{})
	l := &supervise.Launcher{Runs: runs, StoreDir: w.layout().Root, Exe: filepath.Join(w.bin, "iterion")}
	next, all := make(chan string), sync.WaitGroup{}
	began := time.Now()
	for range dispatchSlots {
		all.Go(func() {
			for id := range next {
				_, err := l.Start(b.Context(), supervise.Spec{RunID: id, Bot: bot, Workdir: w.dir,
					Source: run.Source{Kind: run.SourceManual}, Inputs: map[string]string{"command": ":"}})
				if err == nil {
					_, err = supervise.Await(b.Context(), runs, id)
				}
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	for range dispatchCards {
		next <- run.NewID()
	}
	close(next)
	all.Wait()
	return time.Since(began)
}

// dispatched is how long a daemon takes from the first claim to the last release,
// and how much CPU it uses itself meanwhile.
func dispatched(b *testing.B, w *world) (took, cpu time.Duration) {
	s, err := native.Open(w.layout(), native.Options{NoFsync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for n := range dispatchCards {
		_, err := s.Create(b.Context(), board.Issue{Title: fmt.Sprintf("card %d", n), State: board.StateReady,
			Bot: "shell", BotArgs: map[string]string{"command": ":"}}, board.Cause{})
		if err != nil {
			b.Fatal(err)
		}
	}
	w.write("conf/many.yaml", fmt.Sprintf("agent: {max_concurrent: %d}\n", dispatchSlots))
	d := w.start("-q", "daemon", w.path("conf", "many.yaml"))
	w.eventually("all cards are in review", func() bool { return w.inState(board.StateReview) == dispatchCards })
	cpu = cpuOf(b, d.cmd.Process.Pid)
	d.term()
	var first, last time.Time
	for _, e := range benchEvents(b, w) {
		switch {
		case e.Type == board.EventIssueClaimed && first.IsZero():
			first = e.Timestamp
		case e.Type == board.EventIssueReleased:
			last = e.Timestamp
		}
	}
	return last.Sub(first), cpu
}

// cpuOf is the time that a process has spent itself, without its children.
func cpuOf(b *testing.B, pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := bytes.Cut(data, []byte(") "))
	f := bytes.Fields(rest)
	var ticks int64
	for _, field := range f[11:13] { // utime and stime
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100 // USER_HZ
}

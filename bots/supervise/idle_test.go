package supervise

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"iterion/bots"
	"iterion/native/run"
)

// status reads a line of /proc/<pid>/status, in KiB.
func status(t testing.TB, pid int, name string) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // it is gone
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	return 0
}

// cpu is what all threads of a process have used so far.
func cpu(t testing.TB, pid int) time.Duration {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		t.Fatal(threads, err)
	}
	var sum time.Duration
	for _, file := range threads {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // a thread that has ended
		}
		ns, err := strconv.ParseInt(strings.Fields(string(data))[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(ns)
	}
	return sum
}

// The limits are wide, for a busy machine; BenchmarkIdleRun has the figures.
func TestIdleSupervisorCostsLittle(t *testing.T) {
	if runtime.GOOS != "linux" || raced {
		t.Skip("only Linux tells what another process uses, and the race detector uses several times that")
	}
	b := newLab(t)
	id, p := b.launch(b.bot("touch " + b.path("up") + "; sleep 600"))
	b.eventually("bot started", b.exists("up"))
	time.Sleep(1500 * time.Millisecond) // it is at rest
	before, start := cpu(t, p.PID), time.Now()
	time.Sleep(4 * time.Second)
	if share := 100 * float64(cpu(t, p.PID)-before) / float64(time.Since(start)); share > 1 {
		t.Errorf("it uses %.2f %% of a processor", share)
	}
	if held := status(t, p.PID, "VmRSS"); held == 0 || held > 15<<10 {
		t.Errorf("it holds %d KiB", held)
	}
	b.must(RequestStop(b.runs, id, run.Intent{Verb: run.VerbCancel}))
	b.want(b.await(id), run.Cancelled, "")
}

// BenchmarkIdleRun measures a supervisor whose bot says nothing: what it keeps in
// memory and what it uses of one processor. Take a minute: -benchtime 60x.
func BenchmarkIdleRun(b *testing.B) {
	dir := b.TempDir()
	bundle := filepath.Join(dir, "idle")
	must(b, os.Mkdir(bundle, 0o700))
	must(b, os.WriteFile(filepath.Join(bundle, "manifest.yaml"),
		[]byte("schema_version: 1\nname: idle\nrun: {command: [\"sleep\", \"600\"]}\n"), 0o600))
	bot, err := bots.Load(bundle)
	must(b, err)
	runs := run.Open(filepath.Join(dir, "runs"), run.Options{})
	l := &Launcher{Runs: runs, StoreDir: dir, Exe: os.Getenv("ITERION_BENCH_EXE"), Grace: time.Second}
	id := run.NewID()
	p, err := l.Start(context.Background(), Spec{RunID: id, Bot: bot})
	must(b, err)
	time.Sleep(3 * time.Second) // it is at rest
	before, start := cpu(b, p.PID), time.Now()
	for b.Loop() {
		time.Sleep(time.Second)
	}
	used := cpu(b, p.PID) - before
	b.ReportMetric(100*float64(used)/float64(time.Since(start)), "%-of-a-cpu")
	b.ReportMetric(float64(status(b, p.PID, "VmRSS"))/1024, "MB-resident")
	b.ReportMetric(float64(status(b, p.PID, "RssAnon"))/1024, "MB-of-its-own")
	b.ReportMetric(0, "ns/op")
	must(b, RequestStop(runs, id, run.Intent{Verb: run.VerbCancel}))
	<-p.Done()
}

package supervise

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"iterion/bots"
	"iterion/native/run"
)

// BenchmarkRun measures a run of a bot that does nothing, durably: from the
// launch to the bot's first instruction, and the whole of it. The floor is what no
// implementation can do without: two processes and the fsyncs. The supervisor is
// the program itself when ITERION_BENCH_EXE names it; the test binary starts more
// slowly.
func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	bundle := filepath.Join(dir, "clock")
	must(b, os.Mkdir(bundle, 0o700))
	must(b, os.WriteFile(filepath.Join(bundle, "manifest.yaml"),
		[]byte("schema_version: 1\nname: clock\nrun: {command: [\"date\", \"+%s%N\"]}\n"), 0o600))
	bot, err := bots.Load(bundle)
	must(b, err)
	runs := run.Open(filepath.Join(dir, "runs"), run.Options{})
	l := &Launcher{Runs: runs, StoreDir: dir, Exe: os.Getenv("ITERION_BENCH_EXE")}
	var first, whole, floor []time.Duration
	for b.Loop() {
		id, start := run.NewID(), time.Now()
		p, err := l.Start(context.Background(), Spec{RunID: id, Bot: bot})
		must(b, err)
		_, err = Await(context.Background(), runs, id)
		must(b, err)
		whole = append(whole, time.Since(start))
		<-p.Done()
		first = append(first, instruction(b, runs.LogPath(id)).Sub(start))
		floor = append(floor, bare(b, dir))
	}
	b.ReportMetric(median(first), "ms-to-first-instruction")
	b.ReportMetric(float64(first[0].Microseconds())/1000, "ms-to-first-instruction-least") // on a busy machine the least tells most
	b.ReportMetric(median(whole), "ms-whole")
	b.ReportMetric(median(floor), "ms-floor")
	b.ReportMetric(float64(floor[0].Microseconds())/1000, "ms-floor-least")
	b.ReportMetric(0, "ns/op")
}

// instruction is the instant that the bot printed.
func instruction(b *testing.B, log string) time.Time {
	data, err := os.ReadFile(log)
	must(b, err)
	ns, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	must(b, err)
	return time.Unix(0, ns)
}

// bare starts two processes and syncs eight times.
func bare(b *testing.B, dir string) time.Duration {
	start := time.Now()
	f, err := os.CreateTemp(dir, "floor")
	must(b, err)
	defer f.Close()
	for range 8 {
		_, err := f.WriteString("{}\n")
		must(b, err)
		must(b, f.Sync())
	}
	for range 2 {
		must(b, exec.Command("date").Run())
	}
	return time.Since(start)
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// median is in milliseconds.
func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}

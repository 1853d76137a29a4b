package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"iterion/sched/gate"
)

// The test binary is also a process that appends.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "append" {
		os.Exit(appendMany(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// tick is the record of the slot i minutes after noon.
func tick(name string, i int) gate.Record {
	slot := noon.Add(time.Duration(i) * time.Minute)
	return gate.Record{Schema: gate.Schema, Surface: gate.HostCron, ScheduleID: "id-" + name, ScheduleName: name, BotID: "bot",
		Cron: "* * * * *", At: slot.Add(time.Second), Slot: slot, Decision: gate.Fired, RunID: fmt.Sprintf("run-%s-%d", name, i)}
}

// newLog is small enough to be rotated every few records, and forgets none.
func newLog(t testing.TB) *Log {
	return Open(filepath.Join(t.TempDir(), "logs", "tick-audit.jsonl"), Options{NoFsync: true, MaxBytes: 2000, Keep: 1 << 20})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fill(t testing.TB, l *Log, name string, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		must(t, l.Append(context.Background(), tick(name, i)))
	}
}

// read returns the run ids of what a filter selects.
func read(t testing.TB, l *Log, f Filter) ([]string, Stats) {
	t.Helper()
	var ids []string
	stats, err := l.Read(f, func(r gate.Record) error { ids = append(ids, r.RunID); return nil })
	must(t, err)
	return ids, stats
}

// ids are those of the slots [from, to).
func ids(name string, from, to int) []string {
	var all []string
	for i := from; i < to; i++ {
		all = append(all, tick(name, i).RunID)
	}
	return all
}

// appendMany is the process: the log's path, its name, how many records. It says
// each that it has written.
func appendMany(args []string) int {
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return 2
	}
	l := Open(args[0], Options{NoFsync: true, MaxBytes: 2000, Keep: 1 << 20})
	for i := range n {
		if err := l.Append(context.Background(), tick(args[1], i)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(tick(args[1], i).RunID)
	}
	return 0
}

// appender starts such a process and hands what it says to said, which ends it by
// returning false.
func appender(t *testing.T, l *Log, name string, n int, said func(id string) bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "append", l.Path(), name, strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	killed := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if !said(lines.Text()) && !killed {
			killed = true
			_ = cmd.Process.Kill()
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !(killed && errors.As(err, &exit)) {
		t.Errorf("appender %s: %v", name, err)
	}
}

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"iterion/sched/gate"
)

// auditLines is how long the log of BenchmarkIterion's audit is.
const auditLines = 1_000_000

// benchAudit is the end of a long tick audit, told by a process of its own: floor is
// a bare Go program.
func benchAudit(b *testing.B, bin string) row {
	dir := b.TempDir()
	writeAudit(b, filepath.Join(dir, "logs", "tick-audit.jsonl"), auditLines)
	bare, ours := costs(b, buildBare(b, b.TempDir()), filepath.Join(bin, "iterion"), "schedule", "audit",
		"--manifest", filepath.Join(dir, "schedules.yaml"), "--tail", "50")
	return row{"schedule audit --tail 50 of 1,000,000 (bar: floor + 50 ms)", ours.time, ours.time, bare.time,
		bare.time + 50*time.Millisecond, ours.time}
}

// writeAudit makes a log of n ticks of ten schedules, a minute apart.
func writeAudit(b *testing.B, path string, n int) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(n) * time.Minute)
	for i := range n {
		name := fmt.Sprintf("schedule-%d", i%10)
		slot := at.Add(time.Duration(i) * time.Minute).Format(time.RFC3339)
		fmt.Fprintf(out, `{"schema":%d,"surface":%q,"schedule_id":%q,"schedule_name":%q,"bot_id":"tidy","cron":"*/10 * * * *","at":%q,"slot":%q,`+
			`"decision":%q,"run_id":"019a0000-0000-7000-8000-%012d"}`+"\n", gate.Schema, gate.HostCron, name, name, slot, slot, gate.Fired, i)
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
}

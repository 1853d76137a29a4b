package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"iterion/native/filelock"
	"iterion/sched/audit"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
)

func TestSpansAreToldRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 14 * time.Second: "14s", 90 * time.Second: "1m30s", 5 * time.Minute: "5m",
		time.Hour: "1h", 17*time.Hour + 7*time.Minute + 9*time.Second: "17h7m",
		24 * time.Hour: "1d", 24*time.Hour + 59*time.Minute: "1d", 49 * time.Hour: "2d1h", 400 * 24 * time.Hour: "400d",
	} {
		if got := roughly(d); got != want {
			t.Errorf("%s is told as %q, want %q", d, got, want)
		}
	}
}

func TestATickSaysWhyInOneLine(t *testing.T) {
	slot := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	three := 3
	for _, c := range []struct {
		name string
		rec  gate.Record
		want string
	}{
		{"on time", gate.Record{Decision: gate.Fired, Slot: slot, At: slot.Add(2 * time.Second)}, ""},
		{"late", gate.Record{Decision: gate.Fired, Slot: slot, At: slot.Add(6 * time.Minute)}, "6m0s late"},
		{"late, and said so", gate.Record{Decision: gate.Fired, Slot: slot, At: slot.Add(6 * time.Minute), Reason: "6m late"}, "6m late"},
		{"a slow guard", gate.Record{Decision: gate.Fired, Slot: slot, At: slot.Add(6 * time.Minute), GuardDuration: 6*time.Minute - time.Second}, ""},
		{"by hand", gate.Record{Decision: gate.Fired, At: slot}, "by hand"},
		{"missed", gate.Record{Decision: gate.Missed, At: slot, Reason: "3 slots passed"}, "3 slots passed"},
		{"in the way", gate.Record{Decision: gate.SkippedOverlap, Slot: slot, At: slot, BlockingRunID: "0123456789abcdef"}, "run 89abcdef is in the way"},
		{"guard", gate.Record{Decision: gate.GuardBlocked, Slot: slot, At: slot, GuardExit: &three}, "guard exit 3"},
		{"error said twice", gate.Record{Decision: gate.LaunchFailed, Slot: slot, At: slot, Reason: "the launch failed: disk full", Error: "disk full"}, "the launch failed: disk full"},
		{"lines", gate.Record{Decision: gate.LaunchFailed, Slot: slot, At: slot, Error: "one\ntwo"}, "one …"},
	} {
		if got := tickReason(c.rec); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWordsForAShellSurviveIt(t *testing.T) {
	for in, want := range map[string]string{
		"/home/me/.iterion": "/home/me/.iterion", "": "''", "/a b": "'/a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "a*": "'a*'",
	} {
		if got := quoted(in); got != want {
			t.Errorf("%s is written %s, want %s", in, got, want)
		}
	}
}

func TestTheLinesOfTheBlockAreFound(t *testing.T) {
	tab := "0 1 * * * mine --tick nightly\n" + hostcron.BlockBegin + "\n# nightly: x\n30 2 * * * it schedule run --tick nightly >>log\n" + hostcron.BlockEnd + "\n"
	lines, present := blockOf([]byte(tab))
	v := crontabView{lines: lines, present: present}
	if !present || !v.has("nightly") || v.has("night") || v.has("mine") {
		t.Errorf("found %q, %v", lines, present)
	}
	if lines, present := blockOf([]byte("0 1 * * * it schedule run --tick nightly\n")); present || len(lines) > 0 {
		t.Errorf("a line of the user's own is taken for one of the block: %q", lines)
	}
}

func TestZonesAreFoundByTheirPlaces(t *testing.T) {
	fs := fstest.MapFS{}
	for _, path := range []string{"Europe/Berlin", "America/Argentina/Salta", "posix/Europe/Berlin", "right/UTC", "tzdata.zi", "UTC", "Etc/GMT+1", "Europe/notes.txt"} {
		fs[path] = &fstest.MapFile{}
	}
	got := zonesBelow(fs)
	slices.Sort(got)
	if want := []string{"America/Argentina/Salta", "Etc/GMT+1", "Europe/Berlin"}; !slices.Equal(got, want) {
		t.Errorf("zones %q, want %q", got, want)
	}
}

func TestACronIsSeenAmongTheProcesses(t *testing.T) {
	proc := t.TempDir()
	comm := func(pid, name string) {
		if err := os.MkdirAll(filepath.Join(proc, pid), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, pid, "comm"), []byte(name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if seen, sure := cronSeen(proc); seen || sure {
		t.Errorf("nothing can be seen: %v, %v", seen, sure)
	}
	comm("1", "init")
	comm("20", "crontab")
	if seen, sure := cronSeen(proc); seen || !sure {
		t.Skipf("SKIPPED: processes are looked at on Linux only (%v, %v)", seen, sure)
	}
	comm("300", "crond")
	if seen, sure := cronSeen(proc); !seen || !sure {
		t.Errorf("crond is there: %v, %v", seen, sure)
	}
}

func TestWhyTellsWhoIsDeciding(t *testing.T) {
	w := &scheduleLook{paths: hostcron.Paths{Manifest: filepath.Join(t.TempDir(), "s.yaml")}}
	w.name = "n"
	want := func(answer, says string) {
		t.Helper()
		if _, v := w.pending(t.Context()); v.answer != answer || !strings.Contains(v.reason, says) {
			t.Errorf("got %+v, want %s and %q", v, answer, says)
		}
	}
	want("pass", "nothing is left")
	w.state.Pending = []hostcron.Pending{{RunID: "r"}}
	want("acts", "its tick died")
	w.stateErr = errors.New("state s cannot be read")
	want("stop", "state s cannot be read")
	if err := os.MkdirAll(filepath.Dir(w.paths.StateLock("n")), 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := filelock.TryAcquire(w.paths.StateLock("n"))
	if err != nil {
		t.Fatal(err)
	}
	want("acts", fmt.Sprintf("under way in process %d", os.Getpid()))
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	held := &filelock.HeldError{Holder: filelock.Holder{PID: 7}, Stopped: true}
	if v := underWay(held); v.answer != "stop" || !strings.Contains(v.remedy, "kill -CONT 7") {
		t.Errorf("of a suspended process: %+v", v)
	}
}

func TestAZoneThatCronDoesNotKeepIsWarnedOf(t *testing.T) {
	zone := func(name string) *time.Location {
		l, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	winter := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct{ zone, here, cron, says string }{
		{"UTC", "UTC", "Etc/UTC", ""},
		{"Asia/Tokyo", "America/New_York", "UTC", ""}, // names its own
		{"America/New_York", "America/New_York", "UTC", "--tz America/New_York"},
		{"Europe/London", "Europe/London", "UTC", "--tz Europe/London"}, // the same in winter alone
	} {
		here := zone(c.here)
		its := here
		if c.zone != c.here {
			its = zone(c.zone)
		}
		got := zoneText(its, here, zone(c.cron), winter)
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestManyNamesAreToldInALine(t *testing.T) {
	for n, want := range map[int]string{0: "0 schedules", 1: "1 schedule (s)", 2: "2 schedules (s, s)", 1000: "1000 schedules (" + strings.Repeat("s, ", 11) + "s and 988 more)"} {
		if got := schedulesText(slices.Repeat([]string{"s"}, n)); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

type fullDisk struct{ n int }

func (d *fullDisk) Write([]byte) (int, error) { d.n++; return 0, syscall.ENOSPC }

func TestAFollowerEndsWhenItsOutputFails(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv(hostcron.ManifestEnv, "")
	log := audit.Open(hostcron.Default(home).Audit(), audit.Options{NoFsync: true})
	for range 3 {
		if err := log.Append(t.Context(), gate.Record{Surface: gate.HostCron, ScheduleID: "n", Decision: gate.Fired, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	for _, more := range [][]string{nil, {"--json"}} {
		var disk fullDisk
		var said bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		code := Main(ctx, append([]string{"schedule", "audit", "-f"}, more...), &Streams{In: strings.NewReader(""), Out: &disk, Err: &said}, Hooks{})
		if code != ExitFailed || ctx.Err() != nil || disk.n != 1 || !strings.Contains(said.String(), "write result: no space left") {
			t.Errorf("%v: exit %d after %d writes, %v: %s", more, code, disk.n, ctx.Err(), said.String())
		}
		cancel()
	}
}

func TestALongTableKeepsItsColumns(t *testing.T) {
	var out bytes.Buffer
	f := NewFactory(&Streams{Out: &out}, Hooks{})
	table := pagedTable{f: f, head: []string{"A", "B"}}
	for range tablePage + 1 {
		table.row("wide", "x")
	}
	table.row("wider still", "y")
	table.row("wide", "z")
	table.end()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != tablePage+4 {
		t.Fatalf("%d lines of %d rows and a head", len(lines), table.rows)
	}
	for i, want := range map[int]string{0: "A     B", 1: "wide  x", tablePage + 1: "wide  x", tablePage + 2: "wider still  y", tablePage + 3: "wide         z"} {
		if lines[i] != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
}

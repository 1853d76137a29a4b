package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iterion/sched/trigger"
)

var quick = Options{NoFsync: true}

func testRow(n int) trigger.Effect {
	id := fmt.Sprintf("board:%d", n)
	return trigger.Effect{ID: trigger.EffectID(id, "s"), Kind: trigger.EffectLaunch, EventID: id, SubscriptionID: "s",
		RunID: fmt.Sprint("run-", n), State: trigger.Pending, Event: trigger.Event{ID: id, Source: trigger.SourceBoard, Kind: trigger.CardMoved}}
}

// add puts one row for each number into the outbox, each with its own verb.
func add(t *testing.T, b *Outbox, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		if err := b.Add(t.Context(), "board", int64(n), []trigger.Effect{testRow(n)}); err != nil {
			t.Fatal(err)
		}
	}
}

// holds returns the numbers of the events whose rows are there, oldest first, and the
// cursor.
func holds(t *testing.T, b *Outbox) string {
	t.Helper()
	rows, err := b.List(t.Context(), trigger.EffectQuery{})
	if err != nil {
		t.Fatal(err)
	}
	at, _, err := b.Cursor(t.Context(), "board")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range rows {
		ids = append([]string{strings.TrimPrefix(e.EventID, "board:")}, ids...)
	}
	return fmt.Sprintf("%s at %d", strings.Join(ids, " "), at)
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("outbox holds %q, want %q", got, want)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestI5_ASnapshotThatCannotBeReadIsNeverEmpty(t *testing.T) {
	for name, content := range map[string]string{
		"garbage":          "<<<<<<< HEAD\n",
		"an empty file":    "",
		"an empty object":  "{}",
		"half a file":      `{"version":1,"seq":3,"cursors":{"board":7},"rows":[{"id":"a|`,
		"a newer version":  `{"version":2,"seq":3}`,
		"a row without id": `{"version":1,"seq":3,"rows":[{"kind":"launch"}]}`,
		"another shape":    `{"version":1,"seq":"three"}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "trigger-effects.json")
			write(t, path, content)
			b := outboxIn(dir, quick)
			ctx := t.Context()
			_, _, cursor := b.Cursor(ctx, "board")
			_, list := b.List(ctx, trigger.EffectQuery{})
			_, claim := b.Claim(ctx, time.Now(), 1)
			for verb, err := range map[string]error{
				"Cursor": cursor, "List": list, "Claim": claim,
				"Add": b.Add(ctx, "board", 1, []trigger.Effect{testRow(1)}), "Drop": b.Drop(ctx, "x"),
			} {
				var broken *UnreadableError
				if !errors.As(err, &broken) || !strings.Contains(err.Error(), path) {
					t.Errorf("%s: %v, want an UnreadableError that names the file", verb, err)
				}
			}
			if got := read(t, path); got != content {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
}

func TestI5_ALogWithoutItsSnapshotIsNeverTakenForTheWhole(t *testing.T) {
	dir := t.TempDir()
	b := outboxIn(dir, Options{NoFsync: true, CompactAt: 1})
	add(t, b, 1, 2, 3, 4)
	if err := os.Remove(filepath.Join(dir, "trigger-effects.json")); err != nil {
		t.Fatal(err)
	}
	_, err := outboxIn(dir, quick).List(t.Context(), trigger.EffectQuery{})
	var broken *UnreadableError
	if !errors.As(err, &broken) {
		t.Fatalf("error is %v, want an UnreadableError", err)
	}
	add(t, b, 5) // what is known already is not forgotten
	want(t, holds(t, b), "1 2 3 4 5 at 5")
}

func TestI5_ADamagedLineIsNamedKeptAndPassedOver(t *testing.T) {
	dir := t.TempDir()
	add(t, outboxIn(dir, quick), 1, 2, 3)
	path := filepath.Join(dir, "trigger-effects.log")
	lines := strings.SplitAfter(read(t, path), "\n")
	var hit string
	for n, l := range lines {
		if strings.Contains(l, "board:2") {
			hit, lines[n] = l, strings.Replace(l, `"add"`, "\x00add", 1)
		}
	}
	if hit == "" {
		t.Fatal("no line of the second row")
	}
	damaged := strings.Join(lines, "")
	write(t, path, damaged)
	var log bytes.Buffer
	b := outboxIn(dir, Options{NoFsync: true, CompactAt: 1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3 {
		want(t, holds(t, b), "1 3 at 3")
	}
	if n := strings.Count(log.String(), "changes of the outbox are lost"); n != 1 {
		t.Errorf("told of %d times: %s", n, log.String())
	}
	add(t, b, 4) // a snapshot is made
	want(t, holds(t, outboxIn(dir, quick)), "1 3 4 at 4")
	kept, err := filepath.Glob(path + ".broken-*")
	if err != nil || len(kept) != 1 || !strings.HasPrefix(read(t, kept[0]), damaged) {
		t.Errorf("the damaged log was not kept: %v, %v", kept, err)
	}
}

// A writer that dies in its write leaves a torn line.
func TestI4_ATornLineHidesNothing(t *testing.T) {
	dir := t.TempDir()
	b := outboxIn(dir, quick)
	add(t, b, 1, 2)
	path := filepath.Join(dir, "trigger-effects.log")
	whole := read(t, path)
	other := outboxIn(t.TempDir(), quick)
	add(t, other, 1, 2, 3)
	next := strings.TrimPrefix(read(t, other.log), whole) // the lines that add the third row
	for cut := 1; cut < len(next); cut++ {
		write(t, path, whole+next[:cut])
		for _, box := range []*Outbox{b, outboxIn(dir, quick)} {
			if got := holds(t, box); got != "1 2 at 2" && got != "1 2 3 at 2" {
				t.Fatalf("cut at %d: %s", cut, got)
			}
		}
		again := outboxIn(dir, quick)
		add(t, again, 4)
		got := holds(t, outboxIn(dir, quick))
		if got != "1 2 4 at 4" && got != "1 2 3 4 at 4" {
			t.Fatalf("cut at %d, then written: %s", cut, got)
		}
		want(t, holds(t, again), got)
		if kept, _ := filepath.Glob(path + ".broken-*"); len(kept) > 0 {
			t.Fatalf("cut at %d: a torn line was taken for damage", cut)
		}
	}
}

// A kill between the snapshot and the new log, or behind both, loses and doubles
// nothing.
func TestI4_ACompactionMayDieAtEachOfItsSteps(t *testing.T) {
	for _, point := range []string{"judged", "appended", "snapshot", "log"} {
		t.Run(point, func(t *testing.T) {
			dir := t.TempDir()
			add(t, outboxIn(dir, quick), 1, 2, 3)
			beside := outboxIn(dir, quick)
			want(t, holds(t, beside), "1 2 3 at 3")
			dying := outboxIn(dir, Options{NoFsync: true, CompactAt: 1, Fault: func(p string) {
				if p == point {
					panic(errKilled)
				}
			}})
			func() {
				defer func() {
					if p := recover(); p != errKilled {
						t.Fatalf("ended with %v", p)
					}
				}()
				_ = dying.Add(context.Background(), "board", 4, []trigger.Effect{testRow(4)})
			}()
			now := "1 2 3 4 at 4"
			if point == "judged" {
				now = "1 2 3 at 3"
			}
			want(t, holds(t, beside), now)
			want(t, holds(t, outboxIn(dir, quick)), now)
			add(t, beside, 4, 5)
			want(t, holds(t, beside), "1 2 3 4 5 at 5")
			want(t, holds(t, outboxIn(dir, quick)), "1 2 3 4 5 at 5")
		})
	}
}

var errKilled = errors.New("killed")

func TestWhatKilledWritersLeftOnTheirWayIsRemoved(t *testing.T) {
	dir := t.TempDir()
	tmp := filepath.Join(dir, ".trigger.tmp", "effects")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(tmp, ".tmp-1"), "half")
	add(t, outboxIn(dir, Options{NoFsync: true, CompactAt: 1}), 1, 2)
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	all, err := os.ReadDir(dir)
	if err != nil || len(all) != 4 { // snapshot, log, lock, folder of what is on its way
		t.Errorf("the folder holds %v, %v", all, err)
	}
	for _, e := range all {
		info, err := e.Info()
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("I11: %s has mode %s, %v", e.Name(), info.Mode(), err)
		}
	}
}

func TestUnknownKeysOfASnapshotAreWrittenBack(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trigger-effects.json")
	write(t, path, `{"version":1,"seq":7,"cursors":{"board":3},"novel":{"a":[1]},"rows":[{"id":"board:3|s","state":"done","kind":"launch","event_id":"board:3","x":"y"}]}`)
	b := outboxIn(dir, Options{NoFsync: true, CompactAt: 1})
	for n := range 4 {
		add(t, b, 4+n)
	}
	got := read(t, path)
	if !strings.Contains(got, `"novel":{"a":[1]}`) || !strings.Contains(got, `"x":"y"`) || !strings.Contains(got, "board:4") {
		t.Errorf("written back as %s", got)
	}
}

func TestALogThatWasCompactedStaysShort(t *testing.T) {
	dir := t.TempDir()
	b := outboxIn(dir, Options{NoFsync: true, CompactAt: 4 << 10})
	ctx := t.Context()
	for n := range 300 {
		add(t, b, n)
		e, err := b.Claim(ctx, time.Now(), 1)
		if err != nil || len(e) != 1 {
			t.Fatal(e, err)
		}
		if err := b.Finish(ctx, e[0].ID, e[0].ClaimID, "launched", time.Now().Add(-8*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Prune(ctx, time.Now().Add(-trigger.KeepDone)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{b.log, b.snapshot} {
		if n := len(read(t, path)); n > 8<<10 {
			t.Errorf("%s takes %d bytes after 300 rows that came and went", filepath.Base(path), n)
		}
	}
}

func TestI5_UnreadableLinesOfTheInboxStay(t *testing.T) {
	dir := t.TempDir()
	box := inboxIn(dir, Options{NoFsync: true, CompactAt: 1})
	put := func(id string) {
		t.Helper()
		if _, err := box.Put(t.Context(), trigger.Event{ID: id, Source: trigger.SourceCustom, Kind: "k"}); err != nil {
			t.Fatal(err)
		}
	}
	put("a")
	write(t, box.path, read(t, box.path)+"garbage\n"+`{"seq":1,"torn`)
	put("b")
	put("c")
	if err := box.Trim(t.Context(), 1, func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	got, err := box.Events(t.Context(), 0, 0)
	if err != nil || len(got) != 1 || got[0].Event.ID != "c" || got[0].Seq != 2 {
		t.Errorf("behind the trim: %+v, %v", got, err)
	}
	content := read(t, box.path)
	if !strings.Contains(content, "garbage\n") || !strings.Contains(content, `{"seq":1,"torn`) || strings.Contains(content, `"b"`) {
		t.Errorf("the file holds %s", content)
	}
}

func TestAnEventThatNoLineCanHoldIsRefused(t *testing.T) {
	box := inboxIn(t.TempDir(), quick)
	_, err := box.Put(t.Context(), trigger.Event{ID: "a", Kind: "k", Payload: map[string]any{"x": strings.Repeat("x", 17<<20)}})
	if !errors.Is(err, trigger.ErrTooLarge) {
		t.Errorf("error is %v, want ErrTooLarge", err)
	}
}

// Who knows that the last worker is dead need not wait for the ends of its claims; each
// has spent its attempt all the same.
func TestTheClaimsOfADeadWorkerAreEnded(t *testing.T) {
	dir := t.TempDir()
	dead := outboxIn(dir, quick)
	add(t, dead, 1, 2, 3)
	now := time.Now()
	was, err := dead.Claim(t.Context(), now, 2)
	if err != nil || len(was) != 2 {
		t.Fatal(was, err)
	}
	next := outboxIn(dir, quick)
	if n, err := next.Expire(t.Context(), now); n != 2 || err != nil {
		t.Errorf("ended %d claims, %v; want 2", n, err)
	}
	rows, err := next.Claim(t.Context(), now, 10)
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	for n, want := range []int{1, 1, 0} {
		if rows[n].Attempts != want {
			t.Errorf("%s has spent %d attempts, want %d", rows[n].ID, rows[n].Attempts, want)
		}
	}
	if err := dead.Finish(t.Context(), was[0].ID, was[0].ClaimID, "late", now); !errors.Is(err, trigger.ErrLostClaim) {
		t.Errorf("the late one's mark: %v, want ErrLostClaim", err)
	}
}

// A snapshot that is older than the log's beginning lacks what the log no longer says.
func TestI5_ALogThatBeginsBehindTheSnapshotIsRefused(t *testing.T) {
	for name, first := range map[string]string{
		"a later snapshot's": `{"seq":4,"snapshot":true}`,
		"a much later one's": `{"seq":9,"snapshot":true}`,
		"a later change":     `{"seq":5,"drop":["x"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "trigger-effects.json"), `{"version":1,"seq":3,"cursors":{"board":7},"rows":[]}`)
			write(t, filepath.Join(dir, "trigger-effects.log"), first+"\n")
			_, err := outboxIn(dir, quick).List(t.Context(), trigger.EffectQuery{})
			var broken *UnreadableError
			if !errors.As(err, &broken) {
				t.Errorf("error is %v, want an UnreadableError", err)
			}
		})
	}
}

package audit

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"iterion/sched/gate"
)

const million = 1_000_000

// large makes a log of a million lines; in one file, as another implementation may
// leave it, or rotated.
func large(b *testing.B, whole bool) *Log {
	b.Helper()
	l := Open(filepath.Join(b.TempDir(), "tick-audit.jsonl"), Options{NoFsync: true})
	per := int64(DefaultMaxBytes)
	if whole {
		per = 1 << 40
	}
	n, size := 1, int64(0)
	var f *os.File
	var w *bufio.Writer
	flush := func() {
		if f != nil {
			must(b, w.Flush())
			must(b, f.Close())
		}
	}
	for i := range million {
		if f == nil || size > per {
			flush()
			if f != nil {
				must(b, os.Rename(l.Path(), l.rotatedPath(n)))
				n++
			}
			var err error
			f, err = os.OpenFile(l.Path(), os.O_CREATE|os.O_WRONLY, 0o600)
			must(b, err)
			w, size = bufio.NewWriterSize(f, 1<<20), 0
		}
		name := fmt.Sprint("schedule-", i%500)
		if i == million/3 {
			name = "once"
		}
		line, err := encode(tick(name, i))
		must(b, err)
		w.Write(line)
		w.WriteByte('\n')
		size += int64(len(line)) + 1
	}
	flush()
	return l
}

// BenchmarkTail is bounded by 50 ms.
func BenchmarkTail(b *testing.B) {
	for _, whole := range []bool{true, false} {
		l := large(b, whole)
		for name, f := range map[string]Filter{
			"all": {Tail: 50}, "one of 500": {Tail: 50, Name: "schedule-7"}, "almost none": {Tail: 50, Name: "once"},
			"errors": {Tail: 50, Decisions: []gate.Decision{gate.GuardError}}, "last hour": {Since: tick("", million-60).At},
		} {
			b.Run(fmt.Sprintf("whole=%v/%s", whole, name), func(b *testing.B) {
				for b.Loop() {
					n := 0
					_, err := l.Read(f, func(gate.Record) error { n++; return nil })
					must(b, err)
				}
			})
		}
	}
}

// BenchmarkAppendOnce writes to a log that is full of older records.
func BenchmarkAppendOnce(b *testing.B) {
	l := Open(filepath.Join(b.TempDir(), "tick-audit.jsonl"), Options{NoFsync: true})
	fill(b, l, "n", 0, 5000)
	i := 5000
	for b.Loop() {
		_, err := l.AppendOnce(b.Context(), tick("n", i))
		must(b, err)
		i++
	}
}

package cronspec

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// FuzzParse: what is refused is refused in one line with a fix, and what is taken
// has a next slot, reads back as itself, and has lines that any cron takes.
func FuzzParse(f *testing.F) {
	for _, c := range refused {
		f.Add(c.expr, "", int64(1_800_000_000))
	}
	for _, expr := range []string{"@daily", "@every 1h5s", "*/15 9-17 * * mon-fri", "0 2 29 2 */6", "TZ=Asia/Tokyo 5/20 4 * * 7", "0 0 */2 * 1"} {
		f.Add(expr, "Australia/Lord_Howe", int64(1_790_000_000))
		f.Add(expr, "", int64(-1))
	}
	f.Fuzz(func(t *testing.T, expr, tz string, at int64) {
		spec, err := Parse(expr, tz, time.UTC)
		if err != nil {
			checkRefusal(t, err)
			return
		}
		after := time.Unix(at%(1<<33), 0)
		next := spec.Next(after)
		if !next.After(after) {
			t.Fatalf("%q: after %s comes %s", expr, after, next)
		}
		if last, ok := spec.Last(after, next); !ok || !last.Equal(next) {
			t.Fatalf("%q: the last slot up to %s is %s", expr, next, last)
		}
		if n := spec.Count(after, next, 5); n != 1 {
			t.Fatalf("%q: %d slots up to the first", expr, n)
		}
		again, err := Parse(spec.String(), spec.Zone().String(), time.UTC)
		if err != nil || again.plain != spec.plain || again.cal != spec.cal || again.every != spec.every {
			t.Fatalf("%q reads back as %q: %v", expr, again, err)
		}
		if spec.Explain() == "" {
			t.Fatalf("%q has no reading", expr)
		}
		lines, err := spec.CrontabLines(time.UTC, after)
		if _, every := spec.Every(); every {
			checkRefusal(t, err)
			return
		}
		if len(lines) == 0 || err != nil {
			t.Fatalf("%q has no lines: %v", expr, err)
		}
		for _, l := range lines {
			if _, err := Parse(l, "", time.UTC); err != nil || strings.Trim(l, "0123456789*/,- ") != "" {
				t.Fatalf("%q: line %q: %v", expr, l, err)
			}
		}
	})
}

func checkRefusal(t *testing.T, err error) {
	t.Helper()
	var refusal *Error
	if !errors.As(err, &refusal) || !errors.Is(err, ErrInvalid) {
		t.Fatalf("refused with %v", err)
	}
	if refusal.Field == "" || refusal.What == "" || refusal.Fix == "" || strings.Contains(err.Error(), "\n") {
		t.Fatalf("refused with %q: %#v", err, refusal)
	}
}

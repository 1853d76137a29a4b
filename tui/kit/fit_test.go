package kit

import (
	"strings"
	"testing"
	"time"
)

func TestOverlayKeepsWideCharactersAndWidths(t *testing.T) {
	base := Box([]string{"日本語日本語日本語", "日本語日本語日本語", "x日本語日本語日本語"}, 19, 3)
	for w := 1; w < 19; w++ {
		box := []string{strings.Repeat("#", w), strings.Repeat("#", w)}
		for i, l := range Overlay(base, box, 19) {
			if Width(l) != 19 {
				t.Errorf("box of %d: line %d is %d wide: %q", w, i, Width(l), l)
			}
		}
	}
}

func TestChopIsFastOnOneLongWord(t *testing.T) {
	start := time.Now()
	parts := Chop(strings.Repeat("x", 1<<20), 80)
	if len(parts) != (1<<20+79)/80 {
		t.Errorf("%d parts", len(parts))
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestSpan(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0:00": -time.Second, "0:42": 42 * time.Second, "12:03": 723 * time.Second, "2h05m": 125 * time.Minute,
		"3d04h": 76 * time.Hour, "120d": 120 * 24 * time.Hour,
	} {
		if got := Span(d); got != want {
			t.Errorf("Span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for want, n := range map[string]int64{"0 B": -1, "1023 B": 1023, "1.5 KiB": 1536, "20 MiB": 20 << 20, "2.0 TiB": 2 << 40} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}

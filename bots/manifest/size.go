package manifest

import (
	"math"
	"strconv"
	"strings"
)

// size reads a number of bytes such as 64MiB; absent when the key is absent.
func (b *block) size(key string, absent int64) int64 {
	n := b.take(key)
	if n == nil {
		return absent
	}
	v, ok := parseSize(n.Value)
	if !ok {
		b.problem(n, b.at(key), "is %s, want a size like 512KiB, 64MiB or 1GiB", quote(n))
		return absent
	}
	return v
}

// parseSize understands whole numbers with an optional unit of 1024 (KiB, MiB,
// GiB) or 1000 (kB, MB, GB).
func parseSize(s string) (int64, bool) {
	digits := strings.TrimRight(s, "BGKMbgikm ")
	v, err := strconv.ParseInt(digits, 10, 64)
	unit, known := unitBytes(strings.TrimSpace(s[len(digits):]))
	if err != nil || !known || v <= 0 || v > math.MaxInt64/unit {
		return 0, false
	}
	return v * unit, true
}

func unitBytes(unit string) (int64, bool) {
	switch strings.ToLower(unit) {
	case "", "b":
		return 1, true
	case "kb":
		return 1000, true
	case "mb":
		return 1000 * 1000, true
	case "gb":
		return 1000 * 1000 * 1000, true
	case "kib":
		return 1 << 10, true
	case "mib":
		return 1 << 20, true
	case "gib":
		return 1 << 30, true
	}
	return 0, false
}

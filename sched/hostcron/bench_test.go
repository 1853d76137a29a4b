package hostcron

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// BenchmarkLoad reads a manifest of a thousand schedules, which every tick does.
func BenchmarkLoad(b *testing.B) {
	p := Default(b.TempDir())
	if err := os.MkdirAll(p.Dir(), 0o700); err != nil {
		b.Fatal(err)
	}
	var rows strings.Builder
	for n := range 1000 {
		rows.WriteString(row(fmt.Sprint("s", n), fmt.Sprintf("%d %d * * *", n%60, n%24), "    tz: Europe/Berlin\n    vars: {a: b}\n"))
	}
	if err := os.WriteFile(p.Manifest, []byte("schedules:\n"+rows.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m, err := Load(p.Manifest, time.UTC)
		if err != nil || len(m.Rows) != 1000 || m.Rows[999].Err() != nil {
			b.Fatal(err)
		}
	}
}

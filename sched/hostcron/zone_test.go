package hostcron

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSystemZoneIsThatOfTheLocaltimeFile(t *testing.T) {
	dir := t.TempDir()
	const tokyo = "/usr/share/zoneinfo/Asia/Tokyo"
	data, err := os.ReadFile(tokyo)
	if err != nil {
		t.Skipf("SKIPPED: no time zone database where it usually is: %v", err)
	}
	for name, make := range map[string]func(string) error{
		"link": func(path string) error { return os.Symlink(tokyo, path) },
		"copy": func(path string) error { return os.WriteFile(path, data, 0o600) },
	} {
		path := filepath.Join(dir, name)
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		zone := zoneAt(path)
		if _, offset := time.Now().In(zone).Zone(); offset != 9*60*60 || name == "link" && zone.String() != "Asia/Tokyo" {
			t.Errorf("%s: %s, %d s", name, zone, offset)
		}
	}
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("no zone"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "none"), bad} {
		if got := zoneAt(path); got != time.UTC {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// Whoever sets TZ for himself keeps another time than cron.
func TestBlockCoversTheZoneThatCronLivesIn(t *testing.T) {
	p := manifestOf(t, "schedules:\n  - {name: a, cron: '15 9 * * *', tz: Asia/Tokyo, bot: b}\n")
	i := Installer{Paths: p, Host: berlin(t), CronZone: time.UTC, Binary: "/bin/iterion"}
	b, err := i.Block()
	if err != nil || !bytes.Contains(b.Text, []byte("\n15 0 * * * ")) {
		t.Errorf("%v\n%s", err, b.Text)
	}
	i.Host = time.UTC
	if b, err = i.Block(); err != nil || bytes.Count(b.Text, []byte("--tick a ")) != 1 {
		t.Errorf("one zone: %v\n%s", err, b.Text)
	}
}

package hostcron

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// SystemZone is the zone of the host as its cron knows it, whatever TZ says here.
func SystemZone() *time.Location { return zoneAt("/etc/localtime") }

// zoneAt returns the zone that a localtime file stands for; without one it is UTC, as
// for every program of the host. Mostly it is a link that tells the zone's name.
func zoneAt(path string) *time.Location {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return time.UTC
	}
	if _, name, ok := strings.Cut(real, "/zoneinfo/"); ok {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone
		}
	}
	data, err := os.ReadFile(real)
	if err != nil {
		return time.UTC
	}
	zone, err := time.LoadLocationFromTZData("Local", data)
	if err != nil {
		return time.UTC
	}
	return zone
}

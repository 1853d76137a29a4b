package cronspec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// resolve finds the zone of an expression.
func resolve(expr, tz, prefix string, host *time.Location) (*time.Location, error) {
	if host == nil {
		host = time.Local
	}
	switch {
	case tz == "" && prefix == "":
		return host, nil
	case tz != "" && prefix != "" && tz != prefix:
		return nil, &Error{expr, "time zone", fmt.Sprintf("the expression says %q, the zone beside it is %q", prefix, tz), "leave one of them out"}
	case tz == "":
		tz = prefix
	}
	return machine.load(expr, tz)
}

// database is a time zone database.
type database struct {
	find func(name string) (*time.Location, error)
	dirs []string // where it may lie
}

// machine is the database of this machine, where package time looks for it.
var machine = database{
	find: time.LoadLocation,
	dirs: []string{os.Getenv("ZONEINFO"), "/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo"},
}

// hostDependent are names that each machine gives a meaning of its own.
var hostDependent = map[string]bool{"local": true, "localtime": true, "posixrules": true, "factory": true, "system": true, "host": true}

// load finds a zone by its name.
func (db database) load(expr, name string) (*time.Location, error) {
	refuse := func(what, fix string) (*time.Location, error) {
		return nil, &Error{expr, "time zone", what, fix}
	}
	if hostDependent[strings.ToLower(name)] {
		return refuse(fmt.Sprintf("%q means another zone on each machine", name), "leave the zone empty for the host's own, or name one, such as `Europe/Berlin`")
	}
	if strings.HasPrefix(name, "right/") {
		return refuse("zones below right/ count leap seconds, which no clock here does", "write `"+strings.TrimPrefix(name, "right/")+"`")
	}
	zone, err := db.find(name)
	if err == nil && name != "" {
		return zone, nil
	}
	what := fmt.Sprintf("%q is not a zone that this machine knows", name)
	if db.missing() {
		return refuse(what+": it has no time zone database", "install one (package tzdata), point ZONEINFO at one, or use `UTC`")
	}
	if meant, note := db.meant(name); meant != "" {
		return refuse(what, "write `"+meant+"`"+note)
	}
	return refuse(what, "name a zone by continent and city, such as `Europe/Berlin`, or use `UTC`")
}

// missing says whether there is no database at all.
func (db database) missing() bool {
	for _, name := range []string{"Europe/London", "America/New_York", "Asia/Tokyo"} {
		if _, err := db.find(name); err == nil {
			return false
		}
	}
	return true
}

// abbreviated are letters that people use for zones, and a place that keeps that
// time.
var abbreviated = map[string]string{
	"BST": "Europe/London", "WEST": "Europe/Lisbon", "CEST": "Europe/Berlin", "MEZ": "Europe/Berlin", "MESZ": "Europe/Berlin",
	"EEST": "Europe/Athens", "MSK": "Europe/Moscow", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "KST": "Asia/Seoul",
	"SGT": "Asia/Singapore", "HKT": "Asia/Hong_Kong", "AEST": "Australia/Sydney", "AEDT": "Australia/Sydney", "ACST": "Australia/Adelaide",
	"AWST": "Australia/Perth", "NZST": "Pacific/Auckland", "NZDT": "Pacific/Auckland", "EDT": "America/New_York", "ET": "America/New_York",
	"CST": "America/Chicago", "CDT": "America/Chicago", "CT": "America/Chicago", "MDT": "America/Denver", "MT": "America/Denver",
	"PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "PT": "America/Los_Angeles", "AKST": "America/Anchorage",
	"BRT": "America/Sao_Paulo", "ART": "America/Argentina/Buenos_Aires", "SAST": "Africa/Johannesburg", "Z": "UTC", "ZULU": "UTC",
}

var offset = lazy(`^(?i:UTC|GMT)?([+-])0?(\d{1,2})(?::?00)?$`)

// meant guesses the zone that a wrong name stands for, and what to say about it.
func (db database) meant(name string) (zone, note string) {
	bare := strings.Trim(name, `"'`)
	if place := abbreviated[strings.ToUpper(bare)]; place != "" {
		return place, ", a place that keeps that time"
	}
	if m := offset().FindStringSubmatch(bare); m != nil {
		sign := map[string]string{"+": "-", "-": "+"}[m[1]]
		if zone := "Etc/GMT" + sign + short(m[2]); db.knows(zone) {
			return zone, "; the signs of those names are reversed"
		}
	}
	spelt := capitals(bare)
	for _, area := range []string{"", "Europe/", "America/", "Asia/", "Africa/", "Australia/", "Pacific/", "Atlantic/", "Indian/"} {
		if try := area + spelt; db.knows(try) {
			return try, ""
		}
	}
	if db.knows(strings.ToUpper(bare)) {
		return strings.ToUpper(bare), ""
	}
	near, _ := nearest(spelt, db.names())
	return near, ""
}

func (db database) knows(name string) bool {
	if name == "" || hostDependent[strings.ToLower(name)] {
		return false
	}
	_, err := db.find(name)
	return err == nil
}

// capitals writes a name as the database does: New_York, not new york.
func capitals(name string) string {
	out := []byte(strings.ReplaceAll(name, " ", "_"))
	start := true
	for i, c := range out {
		lower := c | 0x20
		switch letter := lower >= 'a' && lower <= 'z'; {
		case letter && start:
			out[i], start = c&^0x20, false
		case letter:
			out[i] = lower
		default:
			start = true
		}
	}
	return string(out)
}

// names lists the zones of places, as far as the database has a list of them.
func (db database) names() []string {
	var names []string
	for _, dir := range db.dirs {
		table, err := os.ReadFile(filepath.Join(dir, "zone.tab"))
		if dir == "" || err != nil {
			continue
		}
		for line := range strings.Lines(string(table)) {
			if columns := strings.Fields(line); len(columns) >= 3 && !strings.HasPrefix(line, "#") {
				names = append(names, columns[2])
			}
		}
		return names
	}
	return nil
}

package cronspec

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheZoneIsTheFieldsThenThePrefixsThenTheHosts(t *testing.T) {
	host := mustZone(t, "Europe/Lisbon")
	for _, c := range []struct{ expr, tz, want string }{
		{"0 2 * * *", "", "Europe/Lisbon"},
		{"0 2 * * *", "Asia/Tokyo", "Asia/Tokyo"},
		{"CRON_TZ=Asia/Tokyo 0 2 * * *", "", "Asia/Tokyo"},
		{"TZ=Asia/Tokyo @daily", "Asia/Tokyo", "Asia/Tokyo"},
	} {
		spec, err := Parse(c.expr, c.tz, host)
		if err != nil {
			t.Errorf("%q, %q: %v", c.expr, c.tz, err)
		} else if spec.Zone().String() != c.want {
			t.Errorf("%q, %q is in %s, want %s", c.expr, c.tz, spec.Zone(), c.want)
		}
	}
	if spec, err := Parse("@daily", "", nil); err != nil || spec.Zone() != time.Local {
		t.Errorf("without a host's zone: %v, %v", spec.Zone(), err)
	}
	_, err := Parse("TZ=Asia/Tokyo 0 2 * * *", "UTC", host)
	if err == nil || !strings.Contains(err.Error(), `the expression says "Asia/Tokyo", the zone beside it is "UTC"`) {
		t.Errorf("two zones: %v", err)
	}
}

func TestZonesThatAreRefused(t *testing.T) {
	for _, c := range []struct{ zone, what, fix string }{
		{"Local", "means another zone on each machine", "Europe/Berlin"},
		{"local", "means another zone on each machine", "Europe/Berlin"},
		{"localtime", "means another zone on each machine", "Europe/Berlin"},
		{"Factory", "means another zone on each machine", "Europe/Berlin"},
		{"right/Europe/Berlin", "leap seconds", "Europe/Berlin"},
		{"europe/berlin", "is not a zone that this machine knows", "Europe/Berlin"},
		{`"Europe/Berlin"`, "is not a zone", "Europe/Berlin"},
		{"Berlin", "is not a zone", "Europe/Berlin"},
		{"new_york", "is not a zone", "America/New_York"},
		{"New York", "is not a zone", "America/New_York"},
		{"CEST", "is not a zone", "Europe/Berlin"},
		{"PST", "is not a zone", "America/Los_Angeles"},
		{"utc", "is not a zone", "UTC"},
		{"UTC+2", "is not a zone", "Etc/GMT-2"},
		{"-05:00", "is not a zone", "Etc/GMT+5"},
		{"Middle/Earth", "is not a zone", "Europe/Berlin"},
		{"../../etc/passwd", "is not a zone", "Europe/Berlin"},
	} {
		for _, parse := range []func() (Spec, error){
			func() (Spec, error) { return Parse("0 2 * * *", c.zone, time.UTC) },
			func() (Spec, error) { return Parse("TZ="+c.zone+" 0 2 * * *", "", time.UTC) },
		} {
			spec, err := parse()
			if strings.Contains(c.zone, " ") && spec.zone == nil && strings.Contains(err.Error(), `"New"`) {
				continue // a prefix ends at the blank
			}
			var refusal *Error
			if !errors.As(err, &refusal) || !errors.Is(err, ErrInvalid) {
				t.Errorf("zone %q: %v", c.zone, err)
				continue
			}
			example := quoted.FindStringSubmatch(refusal.Fix)
			if refusal.Field != "time zone" || !strings.Contains(refusal.What, c.what) || example == nil || example[1] != c.fix {
				t.Errorf("zone %q: %s: %s; %s\nwant %q, fix %q", c.zone, refusal.Field, refusal.What, refusal.Fix, c.what, c.fix)
			} else if _, err := Parse("0 2 * * *", example[1], time.UTC); err != nil {
				t.Errorf("the fix is refused as well: %v", err)
			}
		}
	}
}

func TestAMachineWithoutZonesSaysSo(t *testing.T) {
	bare := database{find: func(string) (*time.Location, error) { return nil, os.ErrNotExist }}
	_, err := bare.load("0 2 * * *", "Europe/Berlin")
	if err == nil || !strings.Contains(err.Error(), "it has no time zone database") || !strings.Contains(err.Error(), "tzdata") {
		t.Errorf("no database: %v", err)
	}
}

func TestASlipInAZoneIsFoundInTheMachinesTable(t *testing.T) {
	dir := t.TempDir()
	table := "# a comment\nDE\t+5230+01322\tEurope/Berlin\tmost of Germany\nHT\t+1832-07220\tAmerica/Port-au-Prince\n"
	if err := os.WriteFile(filepath.Join(dir, "zone.tab"), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	db := database{find: time.LoadLocation, dirs: []string{"", filepath.Join(dir, "none"), dir}}
	for wrong, want := range map[string]string{"Europe/Berln": "Europe/Berlin", "america/port-au-prince": "America/Port-au-Prince"} {
		if got, _ := db.meant(wrong); got != want {
			t.Errorf("%q is taken for %q, want %q", wrong, got, want)
		}
	}
	if got, _ := db.meant("Nowhere/At_All"); got != "" {
		t.Errorf("nonsense is taken for %q", got)
	}
}

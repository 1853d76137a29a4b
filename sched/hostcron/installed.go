package hostcron

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"iterion/native/atomicfile"
)

// Installed is the note that an install leaves.
type Installed struct {
	Path   string    `json:"path"`   // PATH, which a tick sets
	Binary string    `json:"binary"` // what the lines call
	Zone   string    `json:"zone"`   // cron's, which the lines are written for
	At     time.Time `json:"at"`
}

// hasLine reports whether a crontab's block calls a schedule.
func hasLine(crontab []byte, name string) bool {
	from, to, err := find(crontab)
	return err == nil && bytes.Contains(crontab[from:to], []byte(" schedule run --tick "+name+" "))
}

// warnings names what stands above the block and changes what its lines do. Cron
// heeds a setting from its line on.
func warnings(crontab []byte) (out []string) {
	from, _, err := find(crontab)
	if err != nil {
		return nil
	}
	for n, line := range strings.Split(string(crontab[:from]), "\n") {
		name, value, ok := strings.Cut(line, "=")
		name = strings.Trim(strings.TrimSpace(name), `"'`)
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch {
		case !ok:
		case name == "CRON_TZ" || name == "TZ":
			out = append(out, fmt.Sprintf("line %d of the crontab sets %s=%s: some crons read the block's times in that zone and not in the host's; move the line below the block", n+1, name, value))
		case name == "SHELL" && !slices.Contains([]string{"sh", "bash", "dash", "ksh", "zsh", "ash"}, filepath.Base(value)):
			out = append(out, fmt.Sprintf("line %d of the crontab sets SHELL=%s, which may not read the block's commands; move the line below the block", n+1, value))
		case name == "HOME":
			out = append(out, fmt.Sprintf("line %d of the crontab sets HOME=%s: the block's commands look for bots and trust there; move the line below the block", n+1, value))
		}
	}
	return out
}

// note writes down what the ticks need to know.
func (i Installer) note() error {
	n := Installed{Path: i.Path, Binary: i.Binary, Zone: cmp.Or(i.CronZone, i.Host).String(), At: i.now().UTC()}
	data, err := json.MarshalIndent(n, "", "  ")
	if err == nil {
		err = atomicfile.WriteFile(i.Paths.Installed(), append(data, '\n'), 0o600, atomicfile.Options{NoFsync: i.NoFsync})
	}
	if err != nil {
		return fmt.Errorf("install the schedules: %w", err)
	}
	return nil
}

// ReadInstalled returns the note of the last install; known is false without one.
func ReadInstalled(p Paths) (n Installed, known bool, err error) {
	data, err := os.ReadFile(p.Installed())
	if errors.Is(err, fs.ErrNotExist) {
		return Installed{}, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &n)
	}
	if err != nil {
		return Installed{}, false, fmt.Errorf("note of the last install %s: %w", p.Installed(), err)
	}
	return n, true, nil
}

// CronHome is the home folder of the user's account, which cron sets whatever HOME
// is now; empty when it cannot be told.
func CronHome() string {
	u, err := user.LookupId(fmt.Sprint(os.Getuid()))
	if err != nil {
		return ""
	}
	return u.HomeDir
}

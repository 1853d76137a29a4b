package hostcron

import (
	"os"
	"path/filepath"
)

// ManifestEnv names the manifest in the environment.
const ManifestEnv = "ITERION_SCHEDULES_FILE"

const manifestName = "schedules.yaml"

// Paths names the files around one manifest.
type Paths struct {
	Manifest string // absolute
}

// Locate returns the manifest that flag names, else the one that env names, else the
// default one of the home folder. Relative names are taken from cwd.
func Locate(flag, env, home, cwd string) Paths {
	for _, named := range []string{flag, env} {
		if named == "" {
			continue
		}
		if !filepath.IsAbs(named) {
			named = filepath.Join(cwd, named)
		}
		return Paths{Manifest: filepath.Clean(named)}
	}
	if !filepath.IsAbs(home) {
		home = filepath.Join(cwd, home)
	}
	return Default(home)
}

// Default is the manifest of a home folder.
func Default(home string) Paths {
	return Paths{Manifest: filepath.Join(home, ".iterion", manifestName)}
}

// Dir is the manifest's folder.
func (p Paths) Dir() string { return filepath.Dir(p.Manifest) }

// State is the file that says what was decided of a schedule.
func (p Paths) State(name string) string { return p.state(name + ".json") }

// StateLock is held by who decides a slot of a schedule.
func (p Paths) StateLock(name string) string { return p.state(name + ".lock") }

// Installed is the note that Install leaves. No schedule's name begins with a dot.
func (p Paths) Installed() string { return p.state(".install.json") }

func (p Paths) state(file string) string { return filepath.Join(p.Dir(), "state", file) }

// Audit is the tick audit.
func (p Paths) Audit() string { return filepath.Join(p.logs(), "tick-audit.jsonl") }

// Log takes what the ticks of a schedule print.
func (p Paths) Log(name string) string { return filepath.Join(p.logs(), "schedule-"+name+".log") }

func (p Paths) logs() string { return filepath.Join(p.Dir(), "logs") }

// Backups is the folder of the crontabs that an install has replaced.
func (p Paths) Backups() string { return filepath.Join(p.Dir(), "crontab.bak") }

func (p Paths) manifestLock() string {
	return filepath.Join(p.Dir(), "."+filepath.Base(p.Manifest)+".lock")
}

// folder makes the folder of a file of ours.
func folder(path string) error { return os.MkdirAll(filepath.Dir(path), 0o700) }

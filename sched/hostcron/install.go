package hostcron

import (
	"bytes"
	"context"
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
	"iterion/native/filelock"
)

// Installer keeps the managed block of the user's crontab.
type Installer struct {
	Paths   Paths
	Host    *time.Location
	Binary  string // absolute
	Path    string // PATH, for the ticks
	Crontab Crontab
	// CronHome is the home folder that cron will set; see CronHome.
	CronHome string
	NoFsync  bool
	Now      func() time.Time // nil: time.Now
}

// Result is what an install or an uninstall did.
type Result struct {
	Block    Block
	Changed  bool     // the crontab is another one now
	Backup   string   // of the crontab before; empty: there was none, or nothing changed
	Warnings []string // of what in the crontab bears on the block
}

// Installed is the note that an install leaves.
type Installed struct {
	Path   string    `json:"path"`   // PATH, which a tick sets
	Binary string    `json:"binary"` // what the lines call
	Zone   string    `json:"zone"`   // the host's, which the lines are written for
	At     time.Time `json:"at"`
}

// backupsKept is how many crontabs of before are kept.
const backupsKept = 5

// attempts is how often a crontab that changes under the install is looked at anew.
const attempts = 3

// Block returns the block that Install would write; it needs no crontab program.
func (i Installer) Block() (Block, error) {
	m, err := Load(i.Paths.Manifest, i.Host)
	if err != nil {
		return Block{}, err
	}
	return i.caller().block(m)
}

func (i Installer) caller() caller {
	return caller{
		paths: i.Paths, binary: i.Binary, host: i.Host, now: i.now(),
		manifest: i.CronHome == "" || i.Paths != Default(i.CronHome),
	}
}

// Install writes the block, in place of the one that is there. Schedules that had
// no line before are armed. Errors: ErrNoCrontab, ErrDamaged, ErrConflict.
func (i Installer) Install(ctx context.Context) (Result, error) {
	block, err := i.Block()
	if err != nil {
		return Result{}, err
	}
	unlock, err := i.lock(ctx)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	if err := os.MkdirAll(i.Paths.logs(), 0o700); err != nil {
		return Result{}, fmt.Errorf("install the schedules: %w", err)
	}
	for _, name := range block.Names {
		if err := privateLog(i.Paths, name); err != nil {
			return Result{}, err
		}
	}
	// The ticks that the new lines start need the note.
	if err := i.note(); err != nil {
		return Result{}, err
	}
	r, was, err := i.change(ctx, func(text []byte) ([]byte, error) { return Rewrite(text, block.Text) })
	r.Block = block
	if err != nil {
		return r, err
	}
	fresh := slices.DeleteFunc(slices.Clone(block.Names), func(name string) bool { return hasLine(was, name) })
	return r, Arm(ctx, i.Paths, i.now(), i.NoFsync, fresh...)
}

// Uninstall takes the block out.
func (i Installer) Uninstall(ctx context.Context) (Result, error) {
	unlock, err := i.lock(ctx)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	r, _, err := i.change(ctx, Remove)
	return r, err
}

// change brings the crontab from what it is to what edit makes of it.
func (i Installer) change(ctx context.Context, edit func([]byte) ([]byte, error)) (r Result, was []byte, err error) {
	for range attempts {
		if was, err = i.Crontab.Read(ctx); err != nil {
			return r, was, err
		}
		is, err := edit(was)
		if err != nil {
			return r, was, err
		}
		r.Warnings = warnings(is)
		if bytes.Equal(was, is) {
			return r, was, nil
		}
		if r.Backup, err = i.backup(was); err != nil {
			return r, was, err
		}
		err = i.Crontab.replace(ctx, was, is)
		if err == nil {
			r.Changed = true
			return r, was, nil
		}
		if !errors.Is(err, ErrConflict) {
			return r, was, err
		}
	}
	return r, was, fmt.Errorf("the crontab changes again and again: %w", ErrConflict)
}

// lock keeps two installs on one manifest apart.
func (i Installer) lock(ctx context.Context) (unlock func(), err error) {
	path := i.Paths.state(".install.lock")
	if err := folder(path); err != nil {
		return nil, fmt.Errorf("install the schedules: %w", err)
	}
	lock, err := filelock.Acquire(ctx, path, filelock.Options{Wait: crontabTimeout})
	if err != nil {
		return nil, fmt.Errorf("install the schedules: %w", err)
	}
	return func() { _ = lock.Release() }, nil
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

// backup keeps a crontab, and of the earlier ones the newest.
func (i Installer) backup(text []byte) (string, error) {
	if len(text) == 0 {
		return "", nil
	}
	path := filepath.Join(i.Paths.Backups(), "crontab-"+i.now().UTC().Format("20060102T150405.000000000Z"))
	err := folder(path)
	if err == nil {
		err = atomicfile.WriteFile(path, text, 0o600, atomicfile.Options{NoFsync: i.NoFsync})
	}
	if err != nil {
		return "", fmt.Errorf("keep a copy of the crontab: %w", err)
	}
	kept, err := filepath.Glob(filepath.Join(i.Paths.Backups(), "crontab-*Z"))
	if err != nil {
		return path, nil // an odd folder name; the copy is there
	}
	slices.Sort(kept)
	for _, old := range kept[:max(0, len(kept)-backupsKept)] {
		_ = os.Remove(old) // one too many is no harm
	}
	return path, nil
}

// note writes down what the ticks need to know.
func (i Installer) note() error {
	n := Installed{Path: i.Path, Binary: i.Binary, Zone: i.Host.String(), At: i.now().UTC()}
	data, err := json.MarshalIndent(n, "", "  ")
	if err == nil {
		err = atomicfile.WriteFile(i.Paths.Installed(), append(data, '\n'), 0o600, atomicfile.Options{NoFsync: i.NoFsync})
	}
	if err != nil {
		return fmt.Errorf("install the schedules: %w", err)
	}
	return nil
}

func (i Installer) now() time.Time {
	if i.Now != nil {
		return i.Now()
	}
	return time.Now()
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

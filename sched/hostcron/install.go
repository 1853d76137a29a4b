package hostcron

import (
	"context"
	"errors"
	"time"
)

// The lines around the managed block.
const (
	BlockBegin = "# >>> iterion schedules (managed by `iterion schedule install`) >>>"
	BlockEnd   = "# <<< iterion schedules <<<"
)

// Block is the managed block that a manifest asks for.
type Block struct {
	Text    []byte    // with both markers
	Names   []string  // of the schedules that have lines
	Skipped []Problem // of the rows that have none though they are enabled
}

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
	Path   string    `json:"path"`
	Binary string    `json:"binary"`
	Zone   string    `json:"zone"` // the host's, which the lines are written for
	At     time.Time `json:"at"`
}

// Block returns the block that Install would write; it needs no crontab program.
func (i Installer) Block() (Block, error) { return Block{}, errors.ErrUnsupported }

// Install writes the block, in place of the one that is there. Schedules that had
// no line before are armed. Errors: ErrNoCrontab, ErrDamaged, ErrConflict.
func (i Installer) Install(ctx context.Context) (Result, error) {
	return Result{}, errors.ErrUnsupported
}

// Uninstall takes the block out.
func (i Installer) Uninstall(ctx context.Context) (Result, error) {
	return Result{}, errors.ErrUnsupported
}

// ReadInstalled returns the note of the last install; known is false without one.
func ReadInstalled(p Paths) (n Installed, known bool, err error) {
	return Installed{}, false, errors.ErrUnsupported
}

// CronHome is the home folder of the user's account, which cron sets whatever HOME
// is now; empty when it cannot be told.
func CronHome() string { return "" }

// Crontab is the crontab program.
type Crontab struct {
	Program string   // empty: crontab, by PATH
	Env     []string // nil: the process's
}

// Read returns the user's crontab; none is empty.
func (c Crontab) Read(ctx context.Context) ([]byte, error) { return nil, errors.ErrUnsupported }

// Rewrite returns a crontab with its managed block replaced by block, or with block
// behind everything where there was none. Errors: ErrDamaged.
func Rewrite(existing, block []byte) ([]byte, error) { return nil, errors.ErrUnsupported }

// Remove returns a crontab without its managed block.
func Remove(existing []byte) ([]byte, error) { return nil, errors.ErrUnsupported }

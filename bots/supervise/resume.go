package supervise

import (
	"context"
	"errors"
	"time"
)

// Sentinels of runs that are to go on, or to be paused.
var (
	// ErrUnanswered: the run waits for a person's answers and has none.
	ErrUnanswered = errors.New("the run waits for answers; give them with `iterion runs answer`")
	// ErrNotResumable: the bot cannot go on where it was ended.
	ErrNotResumable = errors.New("the bot cannot be continued: its manifest does not say resume: true")
)

// Continue is one run to go on with.
type Continue struct {
	RunID   string
	By      string // person or program
	Attempt int    // 0: as it is
	// Env replaces the ITERION_* variables that the launcher gave; nil: as before.
	Env     map[string]string
	Timeout time.Duration // 0: as before
	Stall   time.Duration // 0: as before
	// OverCap lets the run go on past the day's spending cap.
	OverCap bool
}

// Resume goes on with a run that is paused or failed_resumable, under its id and
// in its folder.
func (l *Launcher) Resume(ctx context.Context, c Continue) (*Process, error) {
	return nil, errors.New("resume: not yet")
}

package cli

import (
	"errors"
	"fmt"

	"iterion/bots"
	"iterion/bots/manifest"
	"iterion/bots/supervise"
	"iterion/daemon"
	"iterion/daemon/control"
	"iterion/native"
	"iterion/native/board"
	"iterion/native/filelock"
	"iterion/native/run"
	"iterion/native/spend"
	"iterion/sched/cronspec"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
	"iterion/sched/trigger"
)

// The exit codes of the program.
const (
	ExitOK           = 0
	ExitFailed       = 1
	ExitUsage        = 2
	ExitNotFound     = 3
	ExitConflict     = 4
	ExitRunFailed    = 10
	ExitRunPaused    = 11
	ExitRunCancelled = 12
	ExitInterrupted  = 130
)

// ExitError is an error that knows its exit code.
type ExitError struct {
	Code int
	Err  error  // nil: everything was said already, exit quietly
	Hint string // what to do about it, a line of its own
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *ExitError) Unwrap() error { return e.Err }

// Usagef is an error in the command line or the input: exit 2.
func Usagef(format string, args ...any) error {
	return &ExitError{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// Conflictf is exit 4.
func Conflictf(format string, args ...any) error {
	return &ExitError{Code: ExitConflict, Err: fmt.Errorf(format, args...)}
}

// Exit maps an error to the exit code and, where there is one, a hint. What the
// rooms return is known here alone; a command that knows better says so with an
// ExitError.
func Exit(err error) (code int, hint string) {
	var exit *ExitError
	var schema *board.UnreadableSchemaError
	switch {
	case err == nil:
		return ExitOK, ""
	case errors.As(err, &exit):
		return exit.Code, exit.Hint
	case isNotFound(err):
		return ExitNotFound, ""
	case errors.Is(err, board.ErrTerminal):
		return ExitConflict, "a card leaves a terminal column by `iterion issue reopen`"
	case isConflict(err):
		return ExitConflict, ""
	case isInvalid(err):
		return ExitUsage, ""
	case errors.As(err, &schema):
		return ExitFailed, "mend the file, or write a new board with `iterion issue board init --force`: " +
			"the cards stay, and the old file stays beside it"
	case errors.Is(err, board.ErrReadOnly):
		return ExitFailed, "reading works; `iterion doctor` says what is in the way of writing"
	case errors.Is(err, board.ErrAmbiguous):
		return ExitFailed, "look whether it happened before you do it again"
	}
	return ExitFailed, ""
}

func isNotFound(err error) bool {
	var noStore *native.NoStoreError
	var noBot *bots.NotFoundError
	return errors.As(err, &noStore) || errors.As(err, &noBot) || isNoDaemon(err) ||
		errors.Is(err, board.ErrNotFound) || errors.Is(err, run.ErrNotFound) || errors.Is(err, hostcron.ErrUnknown) ||
		errors.Is(err, trigger.ErrNoSubscription) || errors.Is(err, trigger.ErrNoEffect)
}

func isNoDaemon(err error) bool { return errors.Is(err, control.ErrNoDaemon) }

func isInvalid(err error) bool {
	var config *daemon.ConfigError
	return errors.As(err, &config) || errors.Is(err, board.ErrInvalid) ||
		errors.Is(err, run.ErrInvalid) || errors.Is(err, manifest.ErrInvalid) ||
		errors.Is(err, hostcron.ErrInvalid) || errors.Is(err, cronspec.ErrInvalid) || errors.Is(err, gate.ErrInvalid) ||
		errors.Is(err, trigger.ErrInvalid)
}

func isConflict(err error) bool {
	var held *filelock.HeldError
	var locked *daemon.LockedError
	var reached *spend.CapError
	var lifted *spend.LiftedError
	return isWrongMoment(err) || errors.As(err, &held) || errors.As(err, &locked) || errors.As(err, &reached) || errors.As(err, &lifted) ||
		errors.Is(err, board.ErrConflict) || errors.Is(err, board.ErrTransitionRejected) ||
		errors.Is(err, board.ErrBusy) || errors.Is(err, board.ErrExists) || errors.Is(err, run.ErrExists) ||
		errors.Is(err, hostcron.ErrExists) || errors.Is(err, hostcron.ErrConflict) ||
		errors.Is(err, trigger.ErrExists) || errors.Is(err, trigger.ErrDerived) || errors.Is(err, trigger.ErrChanged) || errors.Is(err, trigger.ErrEffectState)
}

// isWrongMoment tells a run that is not where the verb needs it.
func isWrongMoment(err error) bool {
	var not *run.NotWaitingError
	var step *run.TransitionError
	return errors.As(err, &not) || errors.As(err, &step) ||
		errors.Is(err, supervise.ErrUnanswered) || errors.Is(err, supervise.ErrNotResumable)
}

// message is what the user reads of err; empty when all was said.
func message(err error) string {
	var exit *ExitError
	if err == nil || errors.As(err, &exit) && exit.Err == nil {
		return ""
	}
	return err.Error()
}

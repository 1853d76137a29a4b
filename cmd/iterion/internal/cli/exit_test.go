package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"iterion/bots"
	"iterion/daemon"
	"iterion/daemon/control"
	"iterion/native"
	"iterion/native/board"
	"iterion/native/filelock"
	"iterion/native/run"
	"iterion/sched/cronspec"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
)

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, ExitOK},
		{errors.New("disk on fire"), ExitFailed},
		{board.ErrReadOnly, ExitFailed},
		{board.ErrAmbiguous, ExitFailed},
		{&board.UnreadableError{ID: "x", Err: errors.New("torn")}, ExitFailed},
		{&board.UnreadableSchemaError{Err: board.ErrInvalid}, ExitFailed},
		{board.ErrInvalid, ExitUsage},
		{board.ErrCycle, ExitUsage},
		{&board.AmbiguousError{Ref: "abcd"}, ExitUsage},
		{&run.AmbiguousError{Ref: "abcd"}, ExitUsage},
		{&daemon.ConfigError{}, ExitUsage},
		{Usagef("no"), ExitUsage},
		{&native.NoStoreError{}, ExitNotFound},
		{board.ErrNotFound, ExitNotFound},
		{run.ErrNotFound, ExitNotFound},
		{&bots.NotFoundError{Slug: "x"}, ExitNotFound},
		{control.ErrNoDaemon, ExitNotFound},
		{&control.Error{Code: control.CodeNotFound}, ExitNotFound},
		{&control.Error{Code: control.CodeInvalid}, ExitUsage},
		{&control.Error{Code: control.CodeConflict}, ExitConflict},
		{&board.ClaimedError{}, ExitConflict},
		{board.ErrConflict, ExitConflict},
		{board.ErrTerminal, ExitConflict},
		{board.ErrTransitionRejected, ExitConflict},
		{board.ErrBusy, ExitConflict},
		{board.ErrExists, ExitConflict},
		{run.ErrExists, ExitConflict},
		{&filelock.HeldError{}, ExitConflict},
		{&hostcron.UnknownError{}, ExitNotFound},
		{&hostcron.Error{}, ExitUsage},
		{&cronspec.Error{}, ExitUsage},
		{gate.ErrInvalid, ExitUsage},
		{hostcron.ErrExists, ExitConflict},
		{hostcron.ErrConflict, ExitConflict},
		{hostcron.ErrNoCrontab, ExitFailed},
		{hostcron.ErrDamaged, ExitFailed},
		{&daemon.LockedError{}, ExitConflict},
		{&ExitError{Code: ExitRunPaused}, ExitRunPaused},
	} {
		got, _ := Exit(c.err)
		if wrapped, _ := Exit(wrap(c.err)); wrapped != got {
			t.Errorf("%v: exit code %d, wrapped %d", c.err, got, wrapped)
		}
		if got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
}

func TestAReadOnlyStoreIsToldWithWhatToDo(t *testing.T) {
	if _, hint := Exit(wrap(board.ErrReadOnly)); !strings.Contains(hint, "iterion doctor") {
		t.Errorf("the hint is %q", hint)
	}
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("do something: %w", err)
}

func TestDidYouMean(t *testing.T) {
	states := []string{"inbox", "backlog", "ready", "review", "done"}
	for word, want := range map[string]string{
		"redy": `, did you mean "ready"?`, "DONE": `, did you mean "done"?`, "back": `, did you mean "backlog"?`,
		"zzzzzz": "", "": "",
	} {
		if got := didYouMean(word, states); got != want {
			t.Errorf("didYouMean(%q) = %q, want %q", word, got, want)
		}
	}
}

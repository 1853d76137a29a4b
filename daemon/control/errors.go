package control

import (
	"errors"
	"net/http"

	"iterion/native/board"
	"iterion/native/run"
	"iterion/sched/trigger"
)

// ErrNoDaemon says that nobody answers on the socket.
var ErrNoDaemon = errors.New("no daemon is running")

// ErrStopped ends a watch whose daemon stopped.
var ErrStopped = errors.New("the daemon stopped")

// Is makes an Error the sentinel of its Code, so that errors.Is answers the same
// on both sides of the socket.
func (e *Error) Is(target error) bool {
	switch e.Code {
	case CodeInvalid:
		return target == board.ErrInvalid || target == run.ErrInvalid || target == trigger.ErrInvalid
	case CodeNotFound:
		return target == board.ErrNotFound || target == run.ErrNotFound || target == trigger.ErrNoEffect
	case CodeConflict:
		return target == board.ErrConflict || target == board.ErrTransitionRejected || target == trigger.ErrEffectState
	}
	return false
}

// errorOf turns what a verb returned into what is sent.
func errorOf(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: codeOf(err), Message: err.Error()}
}

// codeOf classes an error by the sentinels of the stores.
func codeOf(err error) Code {
	switch {
	case errors.Is(err, board.ErrNotFound), errors.Is(err, run.ErrNotFound), errors.Is(err, trigger.ErrNoEffect):
		return CodeNotFound
	case errors.Is(err, board.ErrConflict), errors.Is(err, board.ErrTransitionRejected),
		errors.Is(err, board.ErrExists), errors.Is(err, board.ErrBusy), errors.Is(err, trigger.ErrEffectState):
		return CodeConflict
	case errors.Is(err, board.ErrInvalid), errors.Is(err, run.ErrInvalid), errors.Is(err, trigger.ErrInvalid):
		return CodeInvalid
	}
	return CodeInternal
}

// httpStatus is the HTTP status of a Code.
func (c Code) httpStatus() int {
	switch c {
	case CodeInvalid:
		return http.StatusBadRequest
	case CodeNotFound:
		return http.StatusNotFound
	case CodeConflict:
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

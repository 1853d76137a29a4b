package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"iterion/native/board"
)

func TestFailuresAreAllToldAndTheWorstDecides(t *testing.T) {
	gone, held, odd := fmt.Errorf("a: %w", board.ErrNotFound), fmt.Errorf("b: %w", board.ErrTerminal), errors.New("disk on fire")
	for _, c := range []struct {
		errs []error
		want int
	}{
		{nil, ExitOK},
		{[]error{gone}, ExitNotFound},
		{[]error{gone, held}, ExitConflict},
		{[]error{held, Usagef("c"), gone, held}, ExitConflict},
		{[]error{gone, odd, held}, ExitFailed},
		{[]error{Usagef("c"), gone}, ExitNotFound},
	} {
		var l failures
		for _, err := range append(c.errs, nil) {
			l.add(err)
		}
		var told bytes.Buffer
		code, _ := Exit(l.end(&Factory{IO: &Streams{Err: &told}}, 5))
		if code != c.want || strings.Count(told.String(), "iterion: ") != len(c.errs) {
			t.Errorf("%v: exit %d, told:\n%s", c.errs, code, told.String())
		}
		if n := strings.Count(told.String(), "iterion issue reopen"); n > 1 {
			t.Errorf("the hint is given %d times", n)
		}
	}
}

func TestOneFailureOfOneSubjectIsTheCommands(t *testing.T) {
	l, f := failures{board.ErrNotFound}, &Factory{IO: &Streams{Err: &bytes.Buffer{}}}
	if err := l.end(f, 1); !errors.Is(err, board.ErrNotFound) {
		t.Errorf("error %v", err)
	}
	l = append(l, context.Canceled)
	if err := l.end(f, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("an interruption: %v", err)
	}
}

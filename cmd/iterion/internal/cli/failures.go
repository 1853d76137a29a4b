package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"iterion/native/board"
)

// failures are what went wrong in a command on several subjects, where one that
// fails keeps none of the others back.
type failures []error

func (l *failures) add(err error) {
	if err != nil {
		*l = append(*l, err)
	}
}

// end returns the one error of a command on one subject. Of several subjects it
// tells each failure on standard error, and the exit code is that of the worst.
func (l failures) end(f *Factory, subjects int) error {
	if len(l) == 0 {
		return nil
	}
	if subjects == 1 {
		return l[0]
	}
	codes := make([]int, len(l))
	var hints []string
	for n, err := range l {
		if errors.Is(err, context.Canceled) {
			return err // nothing needs to be said about that
		}
		code, hint := Exit(err)
		codes[n] = code
		if msg := message(err); msg != "" {
			fmt.Fprintln(f.IO.Err, "iterion: "+visibleText(msg))
		}
		if hint != "" && !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	for _, h := range hints {
		fmt.Fprintln(f.IO.Err, visibleText(h))
	}
	return &ExitError{Code: worst(codes)}
}

// worst returns the code that asks for the most attention: an interruption, a
// failure of unknown cause, a conflict, what was not found, what was asked wrongly.
func worst(codes []int) int {
	for _, c := range []int{ExitInterrupted, ExitFailed, ExitConflict, ExitNotFound, ExitUsage} {
		if slices.Contains(codes, c) {
			return c
		}
	}
	return ExitFailed
}

// resolveEach turns references into ids, each named once, and adds those that
// name no card to the failures.
func resolveEach(ctx context.Context, b board.Store, refs []string, failed *failures) []string {
	var ids []string
	for _, ref := range refs {
		id, err := b.Resolve(ctx, ref)
		if err != nil {
			failed.add(err)
		} else if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

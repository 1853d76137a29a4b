package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Hooks let tests reach into a command that runs in their process.
type Hooks struct {
	// Fault is called by the daemon at its named points.
	Fault func(point string)
	// Lease is how long the daemon's claims last without a renewal; 0: as always.
	Lease time.Duration
	// Now replaces the clock of the commands; nil: the real one.
	Now func() time.Time
}

// Main runs one command line and returns its exit code. ctx ends when the user
// interrupts.
func Main(ctx context.Context, args []string, streams *Streams, hooks Hooks) int {
	out := &resultWriter{w: streams.Out}
	streams.Out, streams.terminal = out, streams.Out
	f := NewFactory(streams, hooks)
	defer f.Close()

	root := newRoot(f, args)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.failure()
	}
	return report(streams, interrupted(ctx, err))
}

// interrupted replaces the error of a command that ended because the user
// interrupted it: nothing needs to be said about that.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return &ExitError{Code: ExitInterrupted}
	}
	return err
}

// report tells the user what went wrong and returns the exit code for it.
func report(s *Streams, err error) int {
	code, hint := Exit(err)
	if msg := message(err); msg != "" {
		fmt.Fprintf(s.Err, "iterion: %s\n", visibleText(msg))
		if hint != "" {
			fmt.Fprintln(s.Err, visibleText(hint))
		}
	}
	return code
}

// resultWriter is standard output that remembers its first failure, so that a
// full disk does not pass for success.
type resultWriter struct {
	w   interface{ Write([]byte) (int, error) }
	err error
}

func (r *resultWriter) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	if err != nil && r.err == nil {
		r.err = err
	}
	return n, err
}

// failure is nil when all was written, or when the reader went away: `| head`
// is not an error.
func (r *resultWriter) failure() error {
	if r.err == nil || errors.Is(r.err, syscall.EPIPE) || errors.Is(r.err, os.ErrClosed) {
		return nil
	}
	return fmt.Errorf("write result: %w", r.err)
}

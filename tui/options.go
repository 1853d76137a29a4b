package tui

import (
	"context"
	"errors"
	"io"

	"iterion/tui/screen"
)

// Source is the daemon as the screen sees it.
type Source = screen.Source

// ErrNoStore is what Connect returns where there is no board yet. The screen
// then offers to make one.
var ErrNoStore = errors.New("no board here yet")

// Connect finds the daemon. start says that one may be started where none runs:
// it does until a daemon was seen, and when the person asks for it. Connect is
// called again after each loss and must honour ctx.
type Connect func(ctx context.Context, start bool) (Source, error)

// Options says how to run the screen.
type Options struct {
	Connect Connect
	// Starts says whether Connect starts a daemon when it may; a lost one is then
	// offered to be started anew.
	Starts bool
	// Init makes a board with an example; Connect is called again after it. Nil:
	// an empty folder is an error like any other.
	Init func(ctx context.Context) error
	// OwnsDaemon says whether Connect started the daemon that is now connected,
	// so that leaving stops it. Nil: never.
	OwnsDaemon func() bool
	// StopDaemon ends that daemon. It is called after the terminal is restored.
	StopDaemon func(ctx context.Context, cancelRuns bool) error

	In     io.Reader
	Out    io.Writer
	Getenv func(string) string // nil: os.Getenv

	ReadOnly bool
	NoColor  bool   // as NO_COLOR does
	By       string // who acts: author of comments, cause of moves
}

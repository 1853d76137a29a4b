package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Streams are the three standard streams and what is known of them.
type Streams struct {
	In  io.Reader
	Out io.Writer // the result, and nothing else
	Err io.Writer // talk, progress, warnings, errors

	InTTY, OutTTY, ErrTTY bool
	// Width is the terminal's width in cells, 0 when Out is not a terminal.
	Width int

	measure  func() int // the width as it is now; nil: Width
	terminal io.Writer  // Out as it was given, for the screen
}

// System returns the streams of this process.
func System() *Streams {
	s := &Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	s.InTTY = term.IsTerminal(int(os.Stdin.Fd()))
	s.OutTTY = term.IsTerminal(int(os.Stdout.Fd()))
	s.ErrTTY = term.IsTerminal(int(os.Stderr.Fd()))
	if s.OutTTY {
		s.measure = terminalWidth
		s.Width = terminalWidth()
	}
	return s
}

func terminalWidth() int {
	w, _, _ := term.GetSize(int(os.Stdout.Fd()))
	return w
}

// width is the terminal's width after whatever became of its window.
func (s *Streams) width() int {
	if s.measure == nil {
		return s.Width
	}
	return s.measure()
}

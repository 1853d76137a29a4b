package cli

import (
	"fmt"
	"os"
	"os/user"
	"time"

	"iterion/native/board"
)

// Global holds the flags that every command takes.
type Global struct {
	StoreDir string
	JSON     bool
	NoColor  bool
	NoFsync  bool
	Quiet    bool
	Verbose  bool
}

// Factory hands commands what they need of the world. Nothing is opened before
// a command asks for it.
type Factory struct {
	IO     *Streams
	Hooks  Hooks
	Global Global
	Env    func(name string) string
	Now    func() time.Time

	// Cwd and Home are the working folder and the user's own.
	Cwd, Home func() (string, error)

	store   board.Store // open once asked for
	typed   *typist     // of what a person is asked
	closers []func()
}

// NewFactory returns a factory over this process's environment.
func NewFactory(s *Streams, h Hooks) *Factory {
	f := &Factory{
		IO: s, Hooks: h,
		Env:  os.Getenv,
		Now:  time.Now,
		Cwd:  os.Getwd,
		Home: os.UserHomeDir,
	}
	if h.Now != nil {
		f.Now = h.Now
	}
	return f
}

// Close lets go of what was opened.
func (f *Factory) Close() {
	for _, c := range f.closers {
		c()
	}
	f.closers = nil
}

// Color reports whether the result may carry colours.
func (f *Factory) Color() bool {
	return f.IO.OutTTY && !f.Global.NoColor && f.Env("NO_COLOR") == "" && f.Env("TERM") != "dumb"
}

// Actor names the person at the keyboard.
func (f *Factory) Actor() string {
	if u := f.Env("USER"); u != "" {
		return u
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprintf("uid %d", os.Getuid())
}

// Cause says who makes a change: the person at the keyboard or, inside a bot,
// the run as well.
func (f *Factory) Cause() board.Cause {
	return board.Cause{Actor: f.Actor(), RunID: f.Env("ITERION_RUN_ID")}
}

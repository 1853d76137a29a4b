package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"iterion/native"
	"iterion/native/board"
)

type initOptions struct {
	from           string
	force, example bool
}

func newInit(f *Factory) *cobra.Command {
	var o initOptions
	c := &cobra.Command{
		Use: "init", Short: "Make a store here", Args: exactly(),
		Long: "Make the folder .iterion here, with a board in it. Its board and cards can be tracked\n" +
			"by git; a .gitignore inside keeps the rest out. A store made here may run its bots on\n" +
			"this host; one that was here before, as with a clone, needs `iterion trust`.\n\n" +
			"A store that is there already stays as it is. --force writes its board anew and leaves\n" +
			"its cards alone.",
		RunE: func(c *cobra.Command, _ []string) error { return runInit(c.Context(), f, o) },
	}
	c.Flags().StringVar(&o.from, "from", "", "take the board from a `file`; - is standard input")
	c.Flags().BoolVar(&o.force, "force", false, "write the board anew where there is a store")
	c.Flags().BoolVar(&o.example, "example", false, "file three example cards that the built-in bots work")
	return c
}

func runInit(ctx context.Context, f *Factory, o initOptions) error {
	l, made, err := f.initStore(o.from, o.force)
	if err != nil {
		return err
	}
	if err := f.trustNew(l, made); err != nil {
		return err
	}
	if o.example {
		if err := fileExamples(ctx, f); err != nil {
			return err
		}
	}
	return f.reportInit(l, made, o.example)
}

// trustNew trusts a store that was made just now. One that was there before may
// hold what others wrote, whatever was done to its board.
func (f *Factory) trustNew(l native.Layout, made native.Made) error {
	if made != native.MadeStore {
		return nil
	}
	home, err := f.Home()
	if err != nil {
		return fmt.Errorf("trust the new store: %w", err)
	}
	return native.Trust(home, l)
}

// initStore makes the store that this command line means.
func (f *Factory) initStore(from string, force bool) (native.Layout, native.Made, error) {
	schema := board.DefaultSchema()
	var err error
	if from != "" {
		if schema, err = f.newSchema(from); err != nil {
			return native.Layout{}, native.MadeNothing, err
		}
	}
	dir, err := f.newStoreDir()
	if err != nil {
		return native.Layout{}, native.MadeNothing, err
	}
	made, err := f.storeOptions().Init(dir, schema, force)
	if err == nil && made == native.MadeNothing && from != "" {
		err = &ExitError{Code: ExitConflict, Err: fmt.Errorf("there is a board in %s already", dir),
			Hint: "--force replaces it and leaves the cards alone"}
	}
	return native.Layout{Root: dir}, made, err
}

// newStoreDir is where a new store goes: where the flag or the environment says,
// else right here, whatever lies further up.
func (f *Factory) newStoreDir() (string, error) {
	cwd, err := f.Cwd()
	if err != nil {
		return "", fmt.Errorf("make a store: %w", err)
	}
	for _, dir := range []string{f.Global.StoreDir, f.Env("ITERION_STORE_DIR")} {
		switch {
		case dir == "":
		case filepath.IsAbs(dir):
			return filepath.Clean(dir), nil
		default:
			return filepath.Join(cwd, dir), nil
		}
	}
	return filepath.Join(cwd, native.DirName), nil
}

func (f *Factory) reportInit(l native.Layout, made native.Made, example bool) error {
	if f.Global.JSON {
		return f.PrintJSON(map[string]any{"store_dir": l.Root, "created": made == native.MadeStore})
	}
	switch {
	case f.Global.Quiet:
		f.Say("%s", l.Root)
	case made == native.MadeStore:
		f.Say("made a store in %s", l.Root)
		next := "`iterion issue create --title …`, then `iterion tui`"
		if example {
			next = "`iterion tui` shows the cards being worked"
		}
		f.Talk("next: %s", next)
	case made == native.MadeBoard:
		f.Say("wrote the board anew in %s", l.Root)
		f.talkOfTrust(l)
	default:
		f.Say("there is a store already in %s", l.Root)
		f.talkOfTrust(l)
	}
	return nil
}

// talkOfTrust says what keeps the bots of a store that was there before from
// running.
func (f *Factory) talkOfTrust(l native.Layout) {
	if ok, err := f.trusted(l); err == nil && !ok {
		f.Talk("nothing of it runs on this host until you say `iterion trust`")
	}
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"iterion/daemon/control"
	"iterion/native"
	"iterion/native/board"
	"iterion/native/run"
)

// Layout finds the store: --store-dir, $ITERION_STORE_DIR, else the nearest
// .iterion folder.
func (f *Factory) Layout() (native.Layout, error) {
	env := f.Env("ITERION_STORE_DIR")
	cwd, err := f.Cwd()
	// A bot whose folder was removed under it still has the store's full path.
	if err != nil && !filepath.IsAbs(cmp.Or(f.Global.StoreDir, env)) {
		return native.Layout{}, fmt.Errorf("find the store: %w", err)
	}
	return native.Find(f.Global.StoreDir, env, cwd)
}

// BoardAndSchema opens the store's board and reads its columns and fields.
func (f *Factory) BoardAndSchema(ctx context.Context) (board.Store, board.Schema, error) {
	b, err := f.Board()
	if err != nil {
		return nil, board.Schema{}, err
	}
	schema, err := schemaOf(ctx, b)
	return b, schema, err
}

// schemaOf reads the board's columns and fields, and says what to do where there
// are none.
func schemaOf(ctx context.Context, b board.Store) (board.Schema, error) {
	schema, err := b.Schema(ctx)
	if errors.Is(err, board.ErrNotFound) {
		err = &ExitError{Code: ExitNotFound, Err: err, Hint: "put the file back (git, a backup), or " +
			"`iterion issue board init` writes the default board: the cards stay"}
	}
	return schema, err
}

// Board opens the store's board, once.
func (f *Factory) Board() (board.Store, error) {
	if f.store != nil {
		return f.store, nil
	}
	l, err := f.Layout()
	if err != nil {
		return nil, err
	}
	s, err := native.Open(l, f.storeOptions())
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", l.Root, err)
	}
	f.store = s
	f.closers = append(f.closers, func() { _ = s.Close() })
	return s, nil
}

func (f *Factory) storeOptions() native.Options {
	return native.Options{NoFsync: f.Global.NoFsync, Log: f.Log()}
}

// Runs opens the store's runs.
func (f *Factory) Runs() (*run.Dir, error) {
	l, err := f.Layout()
	if err != nil {
		return nil, err
	}
	return run.Open(l.Runs(), run.Options{NoFsync: f.Global.NoFsync}), nil
}

// Control connects to the store's daemon. Nobody there: control.ErrNoDaemon.
func (f *Factory) Control() (*control.Client, error) {
	l, err := f.Layout()
	if err != nil {
		return nil, err
	}
	c, err := control.Dial(l)
	if err != nil {
		return nil, err
	}
	f.closers = append(f.closers, c.Close)
	return c, nil
}

// RequireTrust refuses a store that may not run anything on this host yet.
func (f *Factory) RequireTrust(l native.Layout) error {
	ok, err := f.trusted(l)
	if err != nil || ok {
		return err
	}
	return &ExitError{
		Code: ExitFailed,
		Err:  fmt.Errorf("the store %s was never trusted on this host, so nothing of it runs", l.Root),
		Hint: "look at its cards and bots, then say `iterion trust`",
	}
}

func (f *Factory) trusted(l native.Layout) (bool, error) {
	home, err := f.Home()
	if err != nil {
		return false, fmt.Errorf("look up trust: %w", err)
	}
	return native.Trusted(home, l)
}

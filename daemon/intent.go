package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"iterion/daemon/dispatch"
	"iterion/native"
	"iterion/native/atomicfile"
)

// intentFile is runtime.json: whether the operator wants runs to start.
type intentFile struct {
	path  string
	store exclusive
	o     atomicfile.Options
}

// ReadIntent returns whether the operator of a store wants runs to start, for who
// starts one without a daemon. It changes nothing.
func ReadIntent(ctx context.Context, l native.Layout) (dispatch.Desired, error) {
	return (&intentFile{path: l.Runtime()}).Load(ctx)
}

// Load returns the operator's intent; without a file, that is to run. A file that
// cannot be read may say pause, and is an error.
func (f *intentFile) Load(context.Context) (dispatch.Desired, error) {
	data, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return dispatch.Desired{Desired: dispatch.DesiredRunning}, nil
	}
	if err != nil {
		return dispatch.Desired{}, fmt.Errorf("read operator's intent: %w", err)
	}
	var d dispatch.Desired
	if err := json.Unmarshal(data, &d); err != nil {
		return dispatch.Desired{}, fmt.Errorf("operator's intent %s is unreadable: %w; `iterion daemon unpause` or `pause` writes it anew", f.path, err)
	}
	return d, nil
}

// Save makes the operator's intent durable. Keys that nobody here knows stay.
func (f *intentFile) Save(ctx context.Context, d dispatch.Desired) error {
	return f.store.Exclusive(ctx, func() error {
		old, err := os.ReadFile(f.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read operator's intent: %w", err)
		}
		data, err := encodeOver(d, old)
		if err == nil {
			data, err = json.MarshalIndent(data, "", "  ")
		}
		if err != nil {
			return fmt.Errorf("encode operator's intent: %w", err)
		}
		if err := atomicfile.WriteFile(f.path, append(data, '\n'), 0o600, f.o); err != nil {
			return fmt.Errorf("write operator's intent: %w", err)
		}
		return nil
	})
}

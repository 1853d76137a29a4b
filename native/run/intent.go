package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"iterion/native/atomicfile"
)

// SetIntent asks something of the run's supervisor, which looks several times a
// second. A person's cancel is never replaced by a machine's stop. It is durable
// when SetIntent returns.
func (d *Dir) SetIntent(id string, in Intent) error {
	if _, err := d.Get(id); err != nil {
		return fmt.Errorf("%s run: %w", in.Verb, err)
	}
	if was, err := d.Intent(id); err == nil && was != nil && was.Verb == VerbCancel {
		return nil
	}
	data, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode intent: %w", err)
	}
	if err := atomicfile.WriteFile(d.file(id, IntentFile), data, 0o600, d.durable()); err != nil {
		return fmt.Errorf("%s run %s: %w", in.Verb, id, err)
	}
	return nil
}

// Intent returns what was last asked of the run's supervisor, nil for nothing.
func (d *Dir) Intent(id string) (*Intent, error) {
	var in *Intent
	if err := d.readJSON(id, IntentFile, &in); err != nil {
		return nil, err
	}
	return in, nil
}

// ClearIntent forgets what was asked of the run's last supervisor, so that a run
// that goes on does not end by it. The caller holds the run's lock.
func (d *Dir) ClearIntent(id string) error {
	err := os.Remove(d.file(id, IntentFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = atomicfile.SyncDir(d.Path(id), d.durable())
	}
	if err != nil {
		return fmt.Errorf("clear intent of run %s: %w", id, err)
	}
	return nil
}

package run

import (
	"encoding/json"
	"fmt"

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

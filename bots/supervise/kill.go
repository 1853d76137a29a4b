package supervise

import (
	"context"
	"fmt"

	"iterion/native/proctree"
	"iterion/native/run"
)

// Kill ends the processes of a run at once, for somebody who has asked for its
// end and will not wait out the grace. The supervisor is left alone: it collects
// the dead and ends the run as it was asked to. A run without a supervisor, or
// one that has ended, is none of Kill's business.
func Kill(ctx context.Context, d *run.Dir, id string) error {
	rec, err := d.Get(id)
	if err != nil {
		return fmt.Errorf("kill run: %w", err)
	}
	if rec.Owner == nil || rec.Status.Final() {
		return nil
	}
	owner := proctree.Identity(*rec.Owner)
	tree := func() ([]proctree.Process, error) {
		// Looked at each time: a pid whose process has gone may be anybody's.
		if alive, err := owner.Alive(); err != nil || !alive {
			return nil, err
		}
		return proctree.Descendants(owner.PID, apart)
	}
	if err := proctree.End(ctx, tree, proctree.Patience{Proof: proof}); err != nil {
		return fmt.Errorf("kill run %s: %w", id, err)
	}
	return nil
}

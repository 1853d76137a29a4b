//go:build !linux

package supervise

import (
	"context"
	"time"

	"iterion/native/run"
)

// waitExit only waits: the exit of a process that is no child cannot be waited
// for here without kqueue, and the net is fine enough.
func waitExit(ctx context.Context, owner *run.Owner, most time.Duration) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	return nil
}

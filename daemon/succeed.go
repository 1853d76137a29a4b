package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/daemon/control"
	"iterion/native/filelock"
)

// lookForThrone is how long the store's singletons may be without an owner while a
// daemon is there that could be it.
const lookForThrone = time.Second

// succeed waits until the store's singletons have no owner and then owns them to the
// end of ctx. The kept settings stay those of the last owner until the next reload:
// nobody is to lose a spending cap because a daemon died.
func (d *Daemon) succeed(ctx context.Context) error {
	told := ""
	for !d.singleton.Load() {
		if !sleep(ctx, lookForThrone) {
			return nil
		}
		err := d.tryToReign(ctx)
		var held *filelock.HeldError
		if err == nil || ctx.Err() != nil || errors.As(err, &held) {
			continue
		}
		if told != err.Error() {
			told = err.Error()
			d.log.Warn("the store's singletons have no owner and cannot be taken over", "err", err)
		}
	}
	return nil
}

// tryToReign owns the singletons until ctx ends, if nobody else does.
func (d *Daemon) tryToReign(ctx context.Context) error {
	lock, err := filelock.TryAcquire(d.o.Layout.DaemonLock())
	if err != nil {
		return err
	}
	defer lock.Release()
	ln, err := control.Listen(control.PlaceOf(d.o.Layout))
	if err != nil {
		return fmt.Errorf("open the store's control socket: %w", err)
	}
	d.singleton.Store(true)
	d.log.Info("this daemon owns the store's singletons now")
	d.sight.poke()
	d.disp.Refresh() // the claims of the last owner are ours to look after
	d.disp.TakeOverRuns()
	return control.Serve(ctx, ln, service{d}, d.log)
}

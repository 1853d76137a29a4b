package cli

import (
	"context"
	"fmt"
	"time"

	"iterion/native/board"
	"iterion/native/watch"
)

// followPoll is how late a change may show when the host gives no file events.
const followPoll = time.Second

// followEvents prints the events after seq as they come, until ctx ends.
func followEvents(ctx context.Context, f *Factory, b board.Store, o issueEventsOptions, seq int64) error {
	l, err := f.Layout()
	if err != nil {
		return err
	}
	return onHints(ctx, l.Dispatcher(), func() error {
		fresh, err := b.Events(ctx, seq, 0)
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		if len(fresh) > 0 {
			seq = fresh[len(fresh)-1].Seq
		}
		return printEvents(f, o.pick(fresh))
	})
}

// onHints calls look whenever something in dir may have changed, the first time
// at once. It returns look's error or, when ctx ends, ctx's, and not before the
// watcher has ended.
func onHints(ctx context.Context, dir string, look func() error) error {
	ctx, stop := context.WithCancel(ctx)
	w := watch.New(watch.Options{Dirs: []string{dir}, Poll: followPoll})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.Run(ctx) // ends with ctx; trouble only makes it poll
	}()
	defer func() { stop(); <-ended }()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.C():
			if err := look(); err != nil {
				return err
			}
		}
	}
}

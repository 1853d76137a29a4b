package daemon

import (
	"errors"
	"testing"

	"iterion/daemon/control"
	"iterion/native/board"
)

// TestTheFirstPictureIsWhole: whatever hint comes first, and however few events
// the log has, the first frame holds every card that was there before.
func TestTheFirstPictureIsWhole(t *testing.T) {
	b := newLab(t)
	b.card("one")
	b.card("two")
	v := newView(b.store, b.runs, control.NewFeed(), b.log())
	b.must(v.readRuns())
	b.must(v.follow(t.Context(), func([]board.Event) {}))
	b.must(v.readBoard(t.Context(), v.seq))
	enough := errors.New("enough")
	var f control.Frame
	if err := v.feed.Watch(t.Context(), func(got control.Frame) error { f = got; return enough }); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	if !f.Full || f.Schema == nil || len(f.Cards) != 2 {
		t.Errorf("full %v, %d cards, schema %v", f.Full, len(f.Cards), f.Schema != nil)
	}
}

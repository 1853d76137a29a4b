package control

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"iterion/native/board"
	"iterion/native/run"
)

func card(id, state string) Card { return Card{Issue: board.Issue{ID: id, State: state}} }

var errEnough = errors.New("enough")

// follow applies frames as a client does and stops once until says so.
func follow(t *testing.T, f *Feed, until func(n int, frame Frame, cards map[string]Card) bool) map[string]Card {
	t.Helper()
	cards, n := map[string]Card{}, 0
	err := f.Watch(t.Context(), func(frame Frame) error {
		if frame.Full {
			clear(cards)
		}
		for _, c := range frame.Cards {
			cards[c.ID] = c
		}
		for _, id := range frame.Gone {
			delete(cards, id)
		}
		n++
		if until(n, frame, cards) {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Fatalf("watch ended with %v", err)
	}
	return cards
}

func TestFeedFirstFrameIsFullAndLaterOnesCarryOnlyChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		f.Publish(Change{Seq: 4, Schema: &board.Schema{}, Cards: []Card{card("a", "ready"), card("b", "ready")}})
		follow(t, f, func(n int, frame Frame, cards map[string]Card) bool {
			switch n {
			case 1:
				if !frame.Full || len(frame.Cards) != 2 || frame.Schema == nil || frame.Seq != 4 {
					t.Errorf("first frame: %+v", frame)
				}
				f.Publish(Change{Seq: 6, Cards: []Card{card("a", "review")}, Gone: []string{"b"}})
			case 2:
				if frame.Full || frame.Schema != nil || len(frame.Cards) != 1 || len(frame.Gone) != 1 || frame.Seq != 6 {
					t.Errorf("second frame: %+v", frame)
				}
			}
			return n == 2
		})
	})
}

func TestFeedSlowWatcherSkipsStatesInBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		f.Publish(Change{Cards: []Card{card("a", "0")}})
		cards := follow(t, f, func(n int, frame Frame, cards map[string]Card) bool {
			if n == 1 { // the watcher is busy with the first frame meanwhile
				for i := range 1000 {
					f.Publish(Change{Seq: int64(i), Cards: []Card{card("a", fmt.Sprint(i))}})
				}
			}
			return n == 2
		})
		if got := cards["a"].State; got != "999" {
			t.Errorf("after the second frame the card is in %q, want the latest state 999", got)
		}
	})
}

func TestFeedWatcherOlderThanTheTombstonesGetsFullFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		f.Publish(Change{Cards: []Card{card("keep", "ready"), card("0", "ready")}})
		cards := follow(t, f, func(n int, frame Frame, cards map[string]Card) bool {
			if n == 1 {
				for i := range tombstonesMax + 1 {
					f.Publish(Change{Gone: []string{fmt.Sprint(i)}})
				}
			}
			if n == 2 && !frame.Full {
				t.Error("second frame is not full")
			}
			return n == 2
		})
		if len(cards) != 1 {
			t.Errorf("watcher sees %d cards, want only the kept one", len(cards))
		}
	})
}

func TestFeedTellsOfMendedRecordsByFullFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		f.Publish(Change{Broken: &[]Broken{{ID: "x"}}})
		follow(t, f, func(n int, frame Frame, _ map[string]Card) bool {
			if n == 1 {
				if len(frame.Broken) != 1 {
					t.Errorf("first frame names %d broken records, want 1", len(frame.Broken))
				}
				f.Publish(Change{Broken: &[]Broken{}})
				return false
			}
			if !frame.Full || len(frame.Broken) != 0 {
				t.Errorf("frame after the mend: %+v", frame)
			}
			return true
		})
	})
}

func TestFeedFullFrameBoundsRunsNewestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		var runs []run.Record
		for i := range RunsMax + 10 {
			runs = append(runs, run.Record{ID: fmt.Sprintf("%05d", i)})
		}
		f.Publish(Change{Runs: runs})
		follow(t, f, func(_ int, frame Frame, _ map[string]Card) bool {
			if len(frame.Runs) != RunsMax || frame.Runs[0].ID != fmt.Sprintf("%05d", RunsMax+9) {
				t.Errorf("%d runs, the first %s", len(frame.Runs), frame.Runs[0].ID)
			}
			return true
		})
	})
}

func TestFeedWatchEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- NewFeed().Watch(ctx, func(Frame) error { return nil }) }()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("watch ended with %v", err)
		}
	})
}

// A watcher that came before the board was read gets the board as a whole.
func TestFeedGivesTheBoardWholeOnceItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		f.Publish(Change{Status: &Status{PID: 7}})
		follow(t, f, func(n int, frame Frame, cards map[string]Card) bool {
			switch n {
			case 1:
				if !frame.Full || frame.Schema != nil || frame.Status == nil {
					t.Errorf("first frame: %+v", frame)
				}
				f.Publish(Change{Schema: &board.Schema{}, Cards: []Card{card("a", "ready")}})
			case 2:
				if !frame.Full || frame.Schema == nil || frame.Status == nil || len(frame.Cards) != 1 {
					t.Errorf("second frame: %+v", frame)
				}
			}
			return n == 2
		})
	})
}

package daemon

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"iterion/daemon/control"
	"iterion/native/board"
	"iterion/native/run"
)

// picture is what a client that connects now is shown.
func picture(t *testing.T, v *view) (cards map[string]control.Card, f control.Frame) {
	t.Helper()
	enough := errors.New("enough")
	err := v.feed.Watch(t.Context(), func(got control.Frame) error { f = got; return enough })
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	cards = map[string]control.Card{}
	for _, c := range f.Cards {
		cards[c.ID] = c
	}
	return cards, f
}

func newViewOf(b *lab) *view {
	return newView(b.store, b.runs, control.NewFeed(), b.log())
}

func (b *lab) look(v *view) (news []board.Event) {
	b.Helper()
	b.must(v.follow(context.Background(), func(e []board.Event) { news = append(news, e...) }))
	return news
}

func TestViewFollowsTheLog(t *testing.T) {
	b := newLab(t)
	v := newViewOf(b)
	id, blocker := b.card("true"), b.card("true")
	_, err := b.store.Update(t.Context(), id, board.Patch{AddBlockers: []string{blocker}}, board.Cause{})
	b.must(err)
	b.look(v)
	cards, f := picture(t, v)
	if len(cards) != 2 || f.Schema == nil || len(cards[id].OpenBlockers) != 1 {
		t.Errorf("first picture %+v", f)
	}
	_, err = b.store.Move(t.Context(), blocker, board.StateDone, board.Cause{Actor: "alice"})
	b.must(err)
	if news := b.look(v); len(news) != 1 || news[0].Payload.ByActor != "alice" {
		t.Errorf("news %+v", news)
	}
	if cards, f = picture(t, v); len(cards[id].OpenBlockers) != 0 || f.Seq != 3 {
		t.Errorf("the waiting card still waits: %+v", cards[id])
	}
	b.must(b.store.Delete(t.Context(), blocker, false, board.Cause{}))
	b.look(v)
	if cards, _ = picture(t, v); len(cards) != 1 {
		t.Errorf("cards %+v", cards)
	}
}

// lateLog is a board whose log grows while the board itself is being read.
type lateLog struct {
	boardFiles
	meanwhile func()
}

func (s lateLog) Events(ctx context.Context, after int64, limit int) ([]board.Event, error) {
	events, err := s.boardFiles.Events(ctx, after, limit)
	s.meanwhile()
	return events, err
}

// A look that found the log quiet reads the board; what is logged in between is
// news at the next look.
func TestViewMissesNoNewsWhileItReadsTheBoard(t *testing.T) {
	b := newLab(t)
	v := newViewOf(b)
	b.look(v)
	var id string
	v.store = lateLog{b.store, func() { id = b.card("true") }}
	v.listed = time.Time{} // as if long ago
	b.look(v)
	v.store = b.store
	if news := b.look(v); len(news) != 1 || news[0].IssueID != id {
		t.Errorf("news %+v, want the card that came meanwhile", news)
	}
}

func TestI5_ViewKeepsTheLastPictureOfABrokenCard(t *testing.T) {
	b := newLab(t)
	v := newViewOf(b)
	id, other := b.card("echo one"), b.card("echo two")
	b.look(v)
	whole, err := os.ReadFile(b.l.IssueFile(id))
	b.must(err)
	b.must(os.WriteFile(b.l.IssueFile(id), []byte("{"), 0o600))
	_, err = b.store.Update(t.Context(), other, board.Patch{AddLabels: []string{"x"}}, board.Cause{})
	b.must(err)
	b.look(v)
	b.must(v.readBoard(t.Context(), v.seq))
	cards, f := picture(t, v)
	if len(f.Broken) != 1 || f.Broken[0].ID != id || cards[id].Title != "echo one" {
		t.Errorf("broken %+v, card %+v", f.Broken, cards[id])
	}
	if len(cards[other].Labels) != 1 {
		t.Errorf("the other card stands still: %+v", cards[other])
	}
	b.must(os.WriteFile(b.l.IssueFile(id), whole, 0o600))
	b.must(v.readBoard(t.Context(), v.seq))
	if _, f = picture(t, v); len(f.Broken) != 0 {
		t.Errorf("still broken: %+v", f.Broken)
	}
}

func TestViewFollowsRuns(t *testing.T) {
	b := newLab(t)
	v := newViewOf(b)
	b.look(v)
	good, bad := b.queued(), b.queued()
	b.must(v.readRuns())
	if _, f := picture(t, v); len(f.Runs) != 2 {
		t.Errorf("runs %+v", f.Runs)
	}
	good.Status = run.Running
	good.Progress = &run.Progress{Text: "half way"}
	b.must(b.runs.Save(good))
	b.must(os.WriteFile(b.runs.Path(bad.ID)+"/"+run.RecordFile, []byte("{}"), 0o600))
	v.readLive()
	_, f := picture(t, v)
	if f.Runs[1].Progress == nil || len(f.Broken) != 1 || f.Broken[0].ID != bad.ID {
		t.Errorf("runs %+v, broken %+v", f.Runs, f.Broken)
	}
	b.must(os.RemoveAll(b.runs.Path(bad.ID)))
	b.must(v.readRuns())
	if _, f = picture(t, v); len(f.Runs) != 1 || len(f.Broken) != 0 {
		t.Errorf("after the removal: runs %+v, broken %+v", f.Runs, f.Broken)
	}
	good.Status = run.Finished
	b.must(b.runs.Save(good))
	v.readLive()
	if len(v.live) != 0 {
		t.Errorf("a run that ended is still looked at: %v", v.live)
	}
}

// queued makes a run that nothing supervises.
func (b *lab) queued() run.Record {
	b.Helper()
	rec := run.Record{ID: run.NewID(), Bot: "shell", Status: run.Queued, Attempt: 1}
	lock, err := b.runs.Create(context.Background(), rec, nil)
	b.must(err)
	b.must(lock.Release())
	return rec
}

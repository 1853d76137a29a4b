package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"iterion/daemon/control"
	"iterion/native"
	"iterion/native/board"
	"iterion/native/run"
)

const (
	// livePace is how often the records of live runs are looked at.
	livePace = 100 * time.Millisecond
	// quietList is the shortest time between two readings of the whole board when
	// its log says nothing new: renewed leases and files edited by hand leave no
	// event.
	quietList = 2 * time.Second
	// manyChanges is from how many changed cards on the whole board is read.
	manyChanges = 100
)

// view keeps the feed's picture of the board and the runs like the files are. It
// reads again only what changed. One goroutine uses it.
type view struct {
	store boardFiles
	runs  *run.Dir
	feed  *control.Feed
	log   *slog.Logger

	seq        int64 // of the newest event that the picture reflects
	schema     *board.Schema
	seen       native.Seen              // what readBoard read
	cards      map[string]*control.Card // as published, and shared with the feed
	broken     []control.Broken
	brokenRuns map[string]control.Broken
	told       []control.Broken // as published
	listed     time.Time

	known map[string]bool        // runs by id, as published
	live  map[string]os.FileInfo // of run.json, by id, for runs that have not ended
}

// boardFiles is a store that tells which of its files changed.
type boardFiles interface {
	board.Store
	Changes(ctx context.Context, seen *native.Seen) (native.Changes, error)
}

func newView(store boardFiles, runs *run.Dir, feed *control.Feed, log *slog.Logger) *view {
	return &view{
		store: store, runs: runs, feed: feed, log: log, seq: -1,
		cards:      map[string]*control.Card{},
		brokenRuns: map[string]control.Broken{}, known: map[string]bool{}, live: map[string]os.FileInfo{},
	}
}

// follow takes in what the board's log says since the last look. news is called
// with the events as soon as they are known, before the picture is drawn. The
// first look reads the board itself; what was logged before is no news.
func (v *view) follow(ctx context.Context, news func([]board.Event)) error {
	if v.schema == nil {
		tip, err := v.store.Tip(ctx)
		if err != nil {
			return err
		}
		return v.readBoard(ctx, tip)
	}
	events, err := v.store.Events(ctx, v.seq, 0)
	if err != nil {
		return err
	}
	if len(events) == 0 {
		if time.Since(v.listed) < quietList {
			return nil
		}
		return v.readBoard(ctx, v.seq)
	}
	news(events)
	newest := events[len(events)-1].Seq
	ids, schema := touched(events)
	if schema || len(ids) > manyChanges {
		return v.readBoard(ctx, newest)
	}
	var found native.Changes
	for _, id := range ids {
		is, err := v.store.Get(ctx, id)
		switch {
		case err == nil:
			found.Issues = append(found.Issues, is)
		case errors.Is(err, board.ErrNotFound):
			found.Gone = append(found.Gone, id)
		default:
			return v.readBoard(ctx, newest) // it also tells which records are broken
		}
	}
	v.seq = newest
	v.draw(control.Change{}, found)
	return nil
}

// touched returns the cards that events speak of, and whether one is about the
// board itself.
func touched(events []board.Event) (ids []string, schema bool) {
	seen := map[string]bool{}
	for _, e := range events {
		switch {
		case e.IssueID == "":
			schema = true
		case !seen[e.IssueID]:
			seen[e.IssueID] = true
			ids = append(ids, e.IssueID)
		}
	}
	return ids, schema
}

// readBoard reads the schema and the cards that changed. seq is of the newest
// event that was told before: what happens meanwhile is in the picture, and is
// news at the next look all the same.
func (v *view) readBoard(ctx context.Context, seq int64) error {
	schema, err := v.store.Schema(ctx)
	if err != nil {
		return err
	}
	found, err := v.store.Changes(ctx, &v.seen)
	if err != nil {
		return err
	}
	v.seq, v.listed = seq, time.Now()
	var c control.Change
	if v.schema == nil || !reflect.DeepEqual(*v.schema, schema) {
		v.schema, c.Schema = &schema, &schema
	}
	v.broken = nil // their last good picture stays
	for _, b := range found.Broken {
		v.broken = append(v.broken, control.Broken{ID: b.ID, Path: b.Path, Error: b.Err.Error()})
	}
	v.draw(c, found)
	if c.Schema != nil {
		return v.readRuns() // the first ones waited for the board
	}
	return nil
}

// draw publishes what became different from what was published: of the cards that
// were read and of those that wait for others.
func (v *view) draw(c control.Change, found native.Changes) {
	c.Seq = v.seq
	for _, id := range found.Gone {
		if _, ok := v.cards[id]; ok {
			delete(v.cards, id)
			c.Gone = append(c.Gone, id)
		}
	}
	read := make(map[string]*board.Issue, len(found.Issues))
	for n := range found.Issues {
		read[found.Issues[n].ID] = &found.Issues[n]
	}
	lookup := func(id string) (board.Issue, error) { return v.issue(id, read) }
	c.Cards = make([]control.Card, 0, len(read))
	for _, is := range read {
		v.put(control.CardOf(*is, board.OpenBlockers(*is, lookup)), &c)
	}
	for id, card := range v.cards {
		if len(card.Blockers) > 0 && read[id] == nil {
			open := board.OpenBlockers(card.Issue, lookup)
			if !slices.Equal(open, card.OpenBlockers) {
				next := *card
				next.OpenBlockers = open
				c.Cards = append(c.Cards, next)
			}
		}
	}
	for n := range c.Cards {
		v.cards[c.Cards[n].ID] = &c.Cards[n]
	}
	v.publish(c)
}

// put adds a card to the change if it differs from what was published.
func (v *view) put(card control.Card, c *control.Change) {
	if old := v.cards[card.ID]; old == nil || !reflect.DeepEqual(*old, card) {
		c.Cards = append(c.Cards, card)
	}
}

// issue returns a card, less its long parts, as it was read just now or before.
func (v *view) issue(id string, read map[string]*board.Issue) (board.Issue, error) {
	if is := read[id]; is != nil {
		return *is, nil
	}
	if card := v.cards[id]; card != nil {
		return card.Issue, nil
	}
	return board.Issue{}, board.ErrNotFound
}

// readRuns takes in runs that came or went.
func (v *view) readRuns() error {
	if v.schema == nil {
		return nil // nothing can be published yet, and what is read counts as published
	}
	ids, err := v.runs.IDs()
	if err != nil {
		return err
	}
	var c control.Change
	there := make(map[string]bool, len(ids))
	for i, id := range ids {
		there[id] = true
		_, broken := v.brokenRuns[id]
		if !v.known[id] && (i < control.RunsMax || v.live[id] != nil) || broken {
			v.readRun(id, &c)
		}
	}
	for id := range v.known {
		if !there[id] {
			v.forget(id)
			c.GoneRuns = append(c.GoneRuns, id)
		}
	}
	maps.DeleteFunc(v.brokenRuns, func(id string, _ control.Broken) bool { return !there[id] })
	v.publish(c)
	return nil
}

// readLive takes in what live runs did.
func (v *view) readLive() {
	var c control.Change
	for id, old := range v.live {
		info, err := os.Stat(v.recordPath(id))
		if err == nil && os.SameFile(old, info) && old.ModTime().Equal(info.ModTime()) && old.Size() == info.Size() {
			continue
		}
		v.readRun(id, &c)
	}
	v.publish(c)
}

func (v *view) recordPath(id string) string { return filepath.Join(v.runs.Path(id), run.RecordFile) }

// readRun reads one run into a change. The file is looked at first: what is
// written meanwhile is read again at the next look.
func (v *view) readRun(id string, c *control.Change) {
	info, err := os.Stat(v.recordPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return // on its way out; the next reading of the folder tells
	}
	rec, gerr := v.runs.Get(id)
	if err = errors.Join(err, gerr); err != nil {
		v.brokenRuns[id] = control.Broken{ID: id, Path: v.recordPath(id), Error: err.Error()}
		return
	}
	delete(v.brokenRuns, id)
	v.known[id] = true
	c.Runs = append(c.Runs, rec)
	if rec.Status.Final() {
		delete(v.live, id)
		return
	}
	v.live[id] = info
}

func (v *view) forget(id string) {
	delete(v.known, id)
	delete(v.live, id)
}

// publish sends a change, if it says anything. Nothing is sent before the whole
// board was read once.
func (v *view) publish(c control.Change) {
	if v.schema == nil {
		return
	}
	broken := slices.Clone(v.broken)
	for _, id := range slices.Sorted(maps.Keys(v.brokenRuns)) {
		broken = append(broken, v.brokenRuns[id])
	}
	if !slices.Equal(broken, v.told) {
		v.told, c.Broken = broken, &broken
	}
	if c.Schema != nil || len(c.Cards) > 0 || c.Gone != nil || c.Runs != nil || c.GoneRuns != nil || c.Broken != nil {
		v.feed.Publish(c)
	}
}

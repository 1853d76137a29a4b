package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"iterion/native"
	"iterion/native/board"
	"iterion/sched/trigger"
	"iterion/sched/trigger/local"
)

// triggers is a world with subscriptions, and with a store of its own to make events
// in: as another process would, without the cost of starting one.
type triggers struct {
	*world
	store *native.Store
	box   *local.Outbox
	in    *local.Inbox
}

// newTriggers makes a world whose triggers.yaml holds the rows.
func newTriggers(t testing.TB, rows ...string) *triggers {
	t.Helper()
	w := newWorld(t)
	l := native.Layout{Root: filepath.Join(w.dir, native.DirName)}
	store, err := native.Open(l, native.Options{NoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	tr := &triggers{world: w, store: store, box: local.OpenOutbox(l.TriggerEffects(), l.TriggerEffectsLog(), local.Options{NoFsync: true}),
		in: local.OpenInbox(l.TriggerInbox(), local.Options{NoFsync: true})}
	tr.subscribe(rows...)
	return tr
}

// subscribe replaces triggers.yaml.
func (w *triggers) subscribe(rows ...string) {
	w.t.Helper()
	content := "version: 1\ntriggers:\n"
	for _, r := range rows {
		content += "  - " + r + "\n"
	}
	path := native.Layout{Root: filepath.Join(w.dir, native.DirName)}.Triggers()
	if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		w.t.Fatal(err)
	}
}

// bot writes a bot of the project that runs a shell command.
func (w *triggers) bot(slug, command, more string) {
	w.t.Helper()
	dir := w.path("bots", slug)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	content := fmt.Sprintf("schema_version: 1\nname: %s\nversion: 1.0.0\ndescription: a bot of a test\nrun:\n  command: [sh, -c, %q]\n%s", slug, command, more)
	if err := os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// armed starts a daemon and waits until events count.
func (w *triggers) armed(args ...string) *proc {
	w.t.Helper()
	d := w.daemon(args...)
	w.eventually("the feeds have begun", func() bool {
		_, ok, err := w.box.Cursor(context.Background(), trigger.FeedInbox)
		_, told, terr := w.in.Told(context.Background())
		return err == nil && ok && terr == nil && told
	})
	return d
}

// make files a card without a process.
func (w *triggers) make(is board.Issue) board.Issue {
	w.t.Helper()
	is, err := w.store.Create(context.Background(), is, board.Cause{Actor: "ana"})
	if err != nil {
		w.t.Fatal(err)
	}
	return is
}

func (w *triggers) label(id string, labels ...string) {
	w.t.Helper()
	_, err := w.store.Update(context.Background(), id, board.Patch{AddLabels: labels}, board.Cause{Actor: "ci"})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *triggers) move(id, to string) {
	w.t.Helper()
	if _, err := w.store.Move(context.Background(), id, to, board.Cause{Actor: "ana"}); err != nil {
		w.t.Fatal(err)
	}
}

// emit leaves an event.
func (w *triggers) emit(kind, key string) {
	w.t.Helper()
	_, err := w.in.Put(context.Background(), trigger.Event{ID: trigger.NewEventID(trigger.SourceCustom, key), Source: trigger.SourceCustom, Kind: kind})
	if err != nil {
		w.t.Fatal(err)
	}
}

// effects returns the rows of the outbox, newest first.
func (w *triggers) effects() []trigger.Effect {
	w.t.Helper()
	rows, err := w.box.List(context.Background(), trigger.EffectQuery{})
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}

// caughtUp reports whether all events were looked at and all effects have ended.
func (w *triggers) caughtUp() bool {
	w.t.Helper()
	ctx := context.Background()
	for feed, tip := range map[string]func(context.Context) (int64, error){trigger.FeedBoard: w.store.Tip, trigger.FeedInbox: w.in.Tip} {
		at, ok, err := w.box.Cursor(ctx, feed)
		if err != nil || !ok {
			return false
		}
		if tip, err := tip(ctx); err != nil || at < tip && feed == trigger.FeedBoard {
			return false
		} else if left, err := w.in.Events(ctx, at, 0); feed == trigger.FeedInbox && (err != nil || len(left) > 0 && tip > at) {
			return false
		}
	}
	n, err := w.box.Counts(ctx)
	return err == nil && n[trigger.Pending]+n[trigger.Claimed] == 0
}

// noted returns the lines that bots left in a file, each with how often it is there.
func (w *triggers) noted(path string) map[string]int {
	data, _ := os.ReadFile(path)
	out := map[string]int{}
	for line := range strings.Lines(string(data)) {
		out[strings.TrimSpace(line)]++
	}
	return out
}

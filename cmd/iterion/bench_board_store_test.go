package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"iterion/native"
	"iterion/native/board"
)

// fillBoard writes a board of the size straight into the files, as if it had
// grown over the years, and returns the ids of some unclaimed cards in backlog.
// No card names a bot, so that no daemon works them.
func fillBoard(b *testing.B, w *world, size boardSize) (ids []string) {
	b.Helper()
	l := native.Layout{Root: w.path(".iterion")}
	cards := make([]board.Issue, size.cards)
	for n := range cards {
		cards[n] = benchIssue(n)
		if cards[n].State == board.StateWaitingDeps {
			cards[n].Blockers = []string{cards[n-1].ID}
		}
		if cards[n].State == board.StateBacklog && len(ids) < 50 {
			ids = append(ids, cards[n].ID)
		}
	}
	for len(ids) < boardRuns { // a small board: claims need a card each
		ids = append(ids, cards[len(ids)].ID)
	}
	writeCards(b, l, cards)
	writeEvents(b, l, cards, size.events)
	return ids
}

// benchIssue is a card of usual length.
func benchIssue(n int) board.Issue {
	columns := []string{board.StateBacklog, board.StateInbox, board.StateBacklog, board.StateReady, board.StateWaitingDeps,
		board.StateReview, board.StateDone, board.StateDone, board.StateDone, board.StateBacklog}
	at := time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC)
	return board.Issue{
		ID: board.NewID(), Title: fmt.Sprintf("card %d of a big board", n), State: columns[n%len(columns)],
		Body:   strings.Repeat("Some words that say what is to be done here. ", 1+n%8),
		Labels: []string{"area:storage", "kind:bug"}, Priority: n % 4, Assignee: "alice",
		BotArgs:   map[string]string{"command": "make test"},
		CreatedAt: at, UpdatedAt: at, StateAt: at,
	}
}

func writeCards(b *testing.B, l native.Layout, cards []board.Issue) {
	var all sync.WaitGroup
	for half := range 2 {
		all.Go(func() {
			for n := half; n < len(cards); n += 2 {
				data, err := board.EncodeIssue(cards[n])
				if err == nil {
					err = os.WriteFile(l.IssueFile(cards[n].ID), data, 0o600)
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// writeEvents gives each card its first event, and updates up to the number.
func writeEvents(b *testing.B, l native.Layout, cards []board.Issue, events int) {
	f, err := os.OpenFile(l.Events(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for n := range max(len(cards), events) {
		c := &cards[n%len(cards)]
		e := board.Event{Seq: int64(n), Timestamp: c.CreatedAt, Type: board.EventIssueCreated, IssueID: c.ID}
		if n >= len(cards) {
			e.Type, e.Payload.Changed = board.EventIssueUpdated, []string{"title"}
		}
		line, err := board.EncodeEvent(e)
		if err != nil {
			b.Fatal(err)
		}
		w.Write(append(line, '\n'))
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
}

const (
	creators = 4
	perMaker = 150
)

// benchCreates holds the durable creates of four processes at once to the syncs
// that one writer alone could do here: what a card takes is what its three syncs
// take, over 60 %.
func benchCreates(b *testing.B, bin string) []boardRow {
	syncs := oneWriter(b)
	durable := makeCards(b, bin)
	loose := makeCards(b, bin, "--no-fsync")
	return []boardRow{
		{what: "one writer's syncs, per card (a file, the log, the folder)", took: syncs},
		{what: "created by 4 processes, per card (bar: 60 % of one writer's syncs)", took: durable, floor: syncs, bar: syncs * 10 / 6},
		{what: "the same with --no-fsync", took: loose},
	}
}

func oneWriter(b *testing.B) time.Duration {
	dir := b.TempDir()
	began := time.Now()
	for n := range creators * perMaker {
		durableWrite(b, filepath.Join(dir, fmt.Sprint(n)))
	}
	return time.Since(began) / (creators * perMaker)
}

// makeCards has four processes file cards, and returns what each card took.
func makeCards(b *testing.B, bin string, flags ...string) time.Duration {
	w := benchWorld(b, bin)
	var inputs []string
	var makers []*proc
	for m := range creators {
		path := w.path(fmt.Sprintf("cards-%d", m))
		writeRecords(b, path, perMaker)
		inputs = append(inputs, path)
	}
	began := time.Now()
	for _, path := range inputs {
		makers = append(makers, w.start(append([]string{"-q", "issue", "import", path}, flags...)...))
	}
	for _, m := range makers {
		if code := m.wait(); code != 0 {
			b.Fatalf("import: exit %d: %s", code, m.errs)
		}
	}
	took := time.Since(began)
	if n := len(w.issues()); n != creators*perMaker {
		b.Fatalf("%d cards, want %d", n, creators*perMaker)
	}
	return took / (creators * perMaker)
}

// writeRecords writes cards for `issue import`.
func writeRecords(b *testing.B, path string, n int) {
	var text []byte
	for i := range n {
		line, err := json.Marshal(benchIssue(10*i + 1)) // all in the first column
		if err != nil {
			b.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
}

package native

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"iterion/native/board"
)

// Each verb is done by a Store that is new, as by the next process, and may read
// no more of a long log than of a short one, but for a page or two. A place in
// the log is found by halving, which reads a little at each try.
func TestVerbsReadNoMoreOfALongLog(t *testing.T) {
	short, long := verbCosts(t, 10), verbCosts(t, 100_000)
	for verb, cost := range long {
		most := short[verb] + 32<<10
		if verb == "tail" {
			most = 1 << 20
		}
		if cost > most {
			t.Errorf("%s reads %d bytes beside a log of 100,000 events, %d beside one of 10", verb, cost, short[verb])
		}
	}
}

// verbCosts returns the bytes that each verb reads of a store with so many events.
func verbCosts(t *testing.T, events int64) map[string]int64 {
	var log strings.Builder
	for seq := range events {
		log.WriteString(eventLine(seq))
	}
	first := withLog(t, log.String())
	card := mustCreate(t, first, "x", "")
	l, ctx, by := first.Layout(), t.Context(), board.Cause{}
	costs := map[string]int64{}
	for verb, do := range map[string]func(*Store) error{
		"get":     func(s *Store) error { _, err := s.Get(ctx, card.ID); return err },
		"create":  func(s *Store) error { _, err := s.Create(ctx, board.Issue{Title: "y"}, by); return err },
		"move":    func(s *Store) error { _, err := s.Move(ctx, card.ID, board.StateReview, by); return err },
		"claim":   func(s *Store) error { _, err := s.Claim(ctx, card.ID, "m", time.Hour, by); return err },
		"comment": func(s *Store) error { _, err := s.Comment(ctx, card.ID, "a", "b", by); return err },
		"tip":     func(s *Store) error { _, err := s.Tip(ctx); return err },
		"tail":    func(s *Store) error { _, err := s.Events(ctx, events-2, 0); return err },
	} {
		before := bytesRead(t)
		if err := do(openStore(t, l, Options{NoFsync: true})); err != nil {
			t.Fatalf("%s: %v", verb, err)
		}
		costs[verb] = bytesRead(t) - before
	}
	return costs
}

// bytesRead is what this process has read so far, of whatever.
func bytesRead(t *testing.T) int64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skipf("the kernel does not count: %v", err)
	}
	var n int64
	line, _, _ := bytes.Cut(data, []byte("\n"))
	if _, err := fmt.Sscanf(string(line), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

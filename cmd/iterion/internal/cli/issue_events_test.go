package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"iterion/native"
	"iterion/native/board"
)

// readLog is a store that counts the events that are read.
type readLog struct {
	board.Store
	read int
}

func (r *readLog) Events(ctx context.Context, after int64, limit int) ([]board.Event, error) {
	page, err := r.Store.Events(ctx, after, limit)
	r.read += len(page)
	return page, err
}

// longLog makes a store with a log of n events, the first and the last of which
// are of the type issue_created.
func longLog(t *testing.T, n int) *readLog {
	t.Helper()
	l := native.Layout{Root: filepath.Join(t.TempDir(), native.DirName)}
	if _, err := native.Init(l.Root, board.DefaultSchema(), false); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for seq := range n {
		kind := board.EventIssueUpdated
		if seq == 0 || seq == n-1 {
			kind = board.EventIssueCreated
		}
		fmt.Fprintf(&log, `{"seq":%d,"timestamp":"2026-01-01T00:00:00Z","type":%q,"issue_id":"native:<x>","payload":{}}`+"\n", seq, kind)
	}
	if err := os.WriteFile(l.Events(), []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := native.Open(l, native.Options{NoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &readLog{Store: s}
}

func TestTheNewestEventsAreLookedForAtTheLogsEnd(t *testing.T) {
	const n = 8 * eventPage
	for _, c := range []struct {
		name  string
		o     issueEventsOptions
		want  []int64
		atEnd bool
	}{
		{"the last two", issueEventsOptions{after: -1, limit: 2}, []int64{n - 2, n - 1}, true},
		{"the last of a type", issueEventsOptions{after: -1, limit: 1, types: []string{"issue_created"}}, []int64{n - 1}, true},
		{"the last two of a rare type", issueEventsOptions{after: -1, limit: 2, types: []string{"issue_created"}}, []int64{0, n - 1}, false},
		{"more than there are", issueEventsOptions{after: n - 3, limit: 5}, []int64{n - 2, n - 1}, true},
		{"none", issueEventsOptions{after: n, limit: 5}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := longLog(t, n)
			var got []int64
			seen, err := showNewest(t.Context(), s, c.o, func(events []board.Event) error {
				for _, e := range events {
					got = append(got, e.Seq)
				}
				return nil
			}, func() {})
			if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) || seen != max(n-1, c.o.after) {
				t.Errorf("got %v, seen %d, %v; want %v", got, seen, err, c.want)
			}
			if c.atEnd && s.read > eventPage {
				t.Errorf("read %d events of %d", s.read, n)
			}
		})
	}
}

func TestEventsArePrintedAsPrintJSONWould(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		s := longLog(t, n)
		events, err := s.Events(t.Context(), -1, 0)
		if err != nil {
			t.Fatal(err)
		}
		f, want := testFactory(0)
		if err := f.PrintJSON(nonNil(events)); err != nil {
			t.Fatal(err)
		}
		g, got := testFactory(0)
		g.Global.JSON = true
		if _, err := printPast(t.Context(), g, s, issueEventsOptions{after: -1}); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

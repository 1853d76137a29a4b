package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"iterion/native/board"
)

// BenchmarkMoveToStart measures from the moment when another process has moved a
// card to ready until the card's bot runs, with the poll at 30 s: the watcher
// alone brings it.
func BenchmarkMoveToStart(b *testing.B) {
	lab := newLab(b)
	lab.start(lab.options())
	stamps := filepath.Join(lab.dir, "stamps")
	lab.must(os.Mkdir(stamps, 0o700))
	var took []time.Duration
	for b.Loop() {
		is, err := lab.store.Create(b.Context(), board.Issue{
			Title: "bench", State: board.StateBacklog, Bot: "shell",
			BotArgs: map[string]string{"command": `date +%s%N > "` + stamps + `/$ITERION_ISSUE_IDENTIFIER"`},
		}, board.Cause{})
		lab.must(err)
		lab.must(exec.Command(os.Args[0], "test-move", lab.l.Root, is.ID, board.StateReady).Run())
		lab.settled(is.ID, board.StateReview)
		moved := lab.enteredAt(is.ID, board.StateReady)
		took = append(took, lab.stamp(filepath.Join(stamps, board.ShortID(is.ID))).Sub(moved))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "ms-p50")
	b.ReportMetric(float64(took[len(took)*95/100].Milliseconds()), "ms-p95")
}

// enteredAt returns when a card entered a column, by the board's log.
func (b *lab) enteredAt(id, state string) (at time.Time) {
	b.Helper()
	events, err := b.store.Events(b.Context(), -1, 0)
	b.must(err)
	for _, e := range events {
		if e.IssueID == id && e.Payload.To == state {
			at = e.Timestamp
		}
	}
	return at
}

// stamp reads nanoseconds since 1970 that a bot wrote.
func (b *lab) stamp(path string) time.Time {
	b.Helper()
	text, err := os.ReadFile(path)
	b.must(err)
	d, err := time.ParseDuration(strings.TrimSpace(string(text)) + "ns")
	b.must(err)
	return time.Unix(0, int64(d))
}

// BenchmarkStartToReady measures from New until the daemon of a small board has
// looked at it and answers on its socket.
func BenchmarkStartToReady(b *testing.B) {
	lab := newLab(b)
	for range 20 {
		_, err := lab.store.Create(b.Context(), board.Issue{Title: "x"}, board.Cause{})
		lab.must(err)
	}
	for b.Loop() {
		_, stop := lab.start(lab.options())
		b.StopTimer()
		stop()
		b.StartTimer()
	}
}

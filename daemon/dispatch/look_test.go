package dispatch

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// Without a daemon the files tell what one would find, and nothing is changed.
func TestLookWithoutADaemon(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		asked, failing, working := b.card(), b.card(), b.card()
		b.runs.plan = func(l Launch) script {
			switch l.Issue.ID {
			case asked:
				return asks(time.Second)
			case failing:
				return fails(time.Second, run.CodeTimeout)
			}
			return never
		}
		l := b.start()
		l.later(2 * time.Second)
		b.ok(l.Pause(t.Context(), "lunch", "alice"))
		b.ok(l.Unpause(t.Context(), "alice"))
		l.kill()
		ready := b.card()
		nobody := b.card(func(is *board.Issue) { is.Bot = "nobody" })
		b.spend.set(Spending{Day: "2000-01-01", TotalUSD: 1, CapUSD: 5}, nil)

		before := []board.Issue{b.get(asked), b.get(failing), b.get(working), b.get(ready)}
		entries, err := b.journal.Entries(t.Context())
		b.ok(err)
		snap, err := Look(t.Context(), b.options(func() error { return nil }))
		b.ok(err)
		if snap.Ready || snap.SlotsUsed != 1 || len(snap.Running) != 1 || snap.Running[0].IssueID != working || snap.Running[0].Phase != PhaseRunning {
			t.Errorf("running %+v", snap.Running)
		}
		if len(snap.Parked) != 1 || snap.Parked[0].Question != "Ship it?" {
			t.Errorf("parked %+v", snap.Parked)
		}
		if len(snap.Retries) != 1 || snap.Retries[0].Attempts != 1 || snap.Retries[0].Title == "" {
			t.Errorf("retries %+v", snap.Retries)
		}
		why := map[string]string{}
		for _, q := range snap.Queue {
			why[q.IssueID] = q.Guard + ": " + q.Reason
		}
		if why[ready] != ": would be started" || !strings.HasPrefix(why[nobody], "bot: ") || !strings.HasPrefix(why[failing], guardRetry+": ") {
			t.Errorf("queue %v", why)
		}
		if snap.Spend.CapUSD != 5 {
			t.Errorf("spend %+v", snap.Spend)
		}
		after := []board.Issue{b.get(asked), b.get(failing), b.get(working), b.get(ready)}
		now, err := b.journal.Entries(t.Context())
		b.ok(err)
		if !reflect.DeepEqual(before, after) || !reflect.DeepEqual(entries, now) {
			t.Error("the look changed something")
		}
	})
}

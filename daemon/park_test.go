package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iterion/daemon/control"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/native/spend"
)

// asking is a bot that asks once and prints the answer when it goes on.
const asking = `if test "$ITERION_RESUME" = 1; then echo "answered: $(cat "$ITERION_ANSWERS")"; else ` +
	`echo '{"type":"ask","questions":{"question":"Ship it?","fields":[{"name":"ship","type":"text"}]}}' >> "$ITERION_EVENTS"; fi`

// parked waits until a card is parked in awaiting_input and has no slot.
func (b *lab) parked(c *control.Client, id string) board.Issue {
	b.Helper()
	var is board.Issue
	b.until("card "+id+" is parked", func() bool {
		is = b.issue(id)
		st, err := c.Status(context.Background())
		b.must(err)
		return is.State == board.StateAwaitingInput && is.AwaitingInput && is.Claim != "" &&
			len(st.Dispatch.Parked) == 1 && st.Dispatch.SlotsUsed == 0
	})
	return is
}

func TestRunThatAsksIsParkedAnsweredAndFinished(t *testing.T) {
	b := newLab(t)
	c, stop := b.start(b.options())
	id := b.card(asking)
	is := b.parked(c, id)
	stop()
	c, _ = b.start(b.options())
	is = b.parked(c, id)
	st, err := c.Status(t.Context())
	b.must(err)
	if q := st.Dispatch.Parked[0].Question; q != "Ship it?" {
		t.Errorf("the question is %q", q)
	}
	if _, err := c.ResumeRun(t.Context(), is.LastRunID, control.By{By: "ana"}); !errors.Is(err, board.ErrConflict) {
		t.Errorf("resume without an answer: %v", err)
	}
	_, err = b.runs.Answer(t.Context(), is.LastRunID, map[string]any{"ship": "yes"}, "ana")
	b.must(err)
	_, err = c.ResumeRun(t.Context(), is.LastRunID, control.By{By: "ana"})
	b.must(err)
	b.settled(id, board.StateReview)
	recs := b.runsOf(id)
	if len(recs) != 1 || recs[0].Status != run.Finished {
		t.Fatalf("runs %+v", recs)
	}
	out, err := os.ReadFile(b.runs.LogPath(recs[0].ID))
	if err != nil || !strings.Contains(string(out), `answered: {`) || !strings.Contains(string(out), "yes") {
		t.Errorf("the bot said %q, %v", out, err)
	}
}

// Answered while no daemon runs, the next one goes on by itself.
func TestAnswerGivenWithoutADaemonIsTakenUpByTheNext(t *testing.T) {
	b := newLab(t)
	c, stop := b.start(b.options())
	id := b.card(asking)
	is := b.parked(c, id)
	stop()
	_, err := b.runs.Answer(t.Context(), is.LastRunID, map[string]any{"ship": "yes"}, "ana")
	b.must(err)
	b.start(b.options())
	b.settled(id, board.StateReview)
}

// bundle writes a bot that can go on.
func (b *lab) bundle(name, script string) {
	b.Helper()
	dir := filepath.Join(b.dir, "bots", name)
	b.must(os.MkdirAll(dir, 0o700))
	text := "schema_version: 1\nname: " + name + "\nrun:\n  resume: true\n  script: |\n    " + strings.ReplaceAll(script, "\n", "\n    ") + "\n"
	b.must(os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte(text), 0o600))
}

func (b *lab) botCard(bot string) string {
	b.Helper()
	is, err := b.store.Create(context.Background(), board.Issue{Title: bot, State: board.StateReady, Bot: bot}, board.Cause{})
	b.must(err)
	return is.ID
}

func TestPausedRunGoesOnWhenAsked(t *testing.T) {
	b := newLab(t)
	b.bundle("longer", "echo begun\ntest $ITERION_RESUME = 1 || sleep 600")
	c, _ := b.start(b.options())
	id := b.botCard("longer")
	rec := b.running(id, "begun")
	_, err := c.PauseRun(t.Context(), rec.ID, control.By{By: "ana"})
	b.must(err)
	b.parked(c, id)
	_, err = c.ResumeRun(t.Context(), rec.ID, control.By{By: "ana"})
	b.must(err)
	b.settled(id, board.StateReview)
	if recs := b.runsOf(id); len(recs) != 1 {
		t.Errorf("%d runs", len(recs))
	}
}

func TestBotThatCannotGoOnIsNotPaused(t *testing.T) {
	b := newLab(t)
	c, _ := b.start(b.options())
	id := b.card("echo begun; sleep 600")
	rec := b.running(id, "begun")
	if _, err := c.PauseRun(t.Context(), rec.ID, control.By{By: "ana"}); !errors.Is(err, board.ErrConflict) {
		t.Errorf("got %v", err)
	}
	_, err := c.CancelRun(t.Context(), rec.ID, control.By{By: "ana"})
	b.must(err)
}

func TestFailedRunGoesOnUnderItsOwnID(t *testing.T) {
	b := newLab(t)
	b.bundle("second", "echo \"attempt $ITERION_ATTEMPT resume $ITERION_RESUME\"\ntest $ITERION_RESUME = 1 || exit 1")
	b.start(b.config("agent: {max_retry_backoff_ms: 50}\n"))
	id := b.botCard("second")
	b.settled(id, board.StateReview)
	recs := b.runsOf(id)
	if len(recs) != 1 || recs[0].Attempt != 2 {
		t.Fatalf("runs %+v", recs)
	}
}

func (b *lab) lift() {
	b.Helper()
	_, err := spend.Open(b.l.Root, spend.Options{NoFsync: true}).Override(context.Background(), time.Now(), "ana", "release day")
	b.must(err)
}

// At the cap a run that can be paused is, and nothing starts; lifted, all goes on.
func TestCapPausesAndItsLiftingGoesOn(t *testing.T) {
	b := newLab(t)
	b.bundle("dear", "echo begun\ntest $ITERION_RESUME = 1 && exit 0\necho '{\"type\":\"cost\",\"usd\":3}' >> $ITERION_EVENTS\nsleep 600")
	c, _ := b.start(b.config("limits: {max_cost_per_day_usd: 2}\n"))
	id := b.botCard("dear")
	b.parked(c, id)
	next := b.card("true")
	b.until("the card behind waits for the money", func() bool {
		st, err := c.Status(t.Context())
		b.must(err)
		return len(st.Dispatch.Queue) == 1 && st.Dispatch.Queue[0].Guard == "spend" && st.Dispatch.Spend.TotalUSD == 3
	})
	b.lift()
	b.settled(id, board.StateReview)
	b.settled(next, board.StateReview)
	if recs := b.runsOf(id); len(recs) != 1 || recs[0].CostUSD != 3 {
		t.Errorf("runs %+v", recs)
	}
}

// A parked run that a person cancels leaves its card held, and its claim kept.
func TestCancelOfAParkedRunHoldsItsCard(t *testing.T) {
	b := newLab(t)
	c, _ := b.start(b.options())
	id := b.card(asking)
	is := b.parked(c, id)
	rec, err := c.CancelRun(t.Context(), is.LastRunID, control.By{By: "ana"})
	b.must(err)
	b.statusUntil(c, "the card is held", func(st control.Status) bool { return len(st.Dispatch.Held) == 1 })
	if rec, err = c.Run(t.Context(), rec.ID); err != nil || rec.Status != run.Cancelled {
		t.Errorf("the run is %s, %v", rec.Status, err)
	}
	if now := b.issue(id); now.Claim == "" || now.AwaitingInput {
		t.Errorf("card %+v", now)
	}
	_, err = c.ClearLastRun(t.Context(), id, control.By{By: "ana"})
	b.must(err)
	b.until("the claim is gone", func() bool { return b.issue(id).Claim == "" })
}

// A run that says nothing for longer than the settings allow is ended and counts.
func TestSilentRunIsEndedByTheSettingsStall(t *testing.T) {
	b := newLab(t)
	c, _ := b.start(b.config("stall: {timeout_ms: 300}\n"))
	id := b.card("sleep 600")
	st := b.statusUntil(c, "the card waits for its next attempt", func(st control.Status) bool { return len(st.Dispatch.Retries) == 1 })
	if recs := b.runsOf(id); len(recs) != 1 || recs[0].FailureCode != run.CodeStall || st.Dispatch.Retries[0].Attempts != 1 {
		t.Errorf("runs %+v, retries %+v", recs, st.Dispatch.Retries)
	}
}

// A bot's own setting counts first.
func TestBotsOwnStallCountsFirst(t *testing.T) {
	b := newLab(t)
	b.bundle("patient", "sleep 1")
	manifest := filepath.Join(b.dir, "bots", "patient", "manifest.yaml")
	text, err := os.ReadFile(manifest)
	b.must(err)
	b.must(os.WriteFile(manifest, []byte(strings.Replace(string(text), "run:\n", "run:\n  stall: 1h\n", 1)), 0o600))
	b.start(b.config("stall: {timeout_ms: 300}\n"))
	b.settled(b.botCard("patient"), board.StateReview)
}

package mirror

import (
	"fmt"
	"strings"
	"time"

	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/tui/kit"
)

// Note is the one thing most worth knowing of a card or a run, in a line. The
// text is clean.
type Note struct {
	Mark kit.Mark
	Text string
}

// Note says where a card stands beyond its column. The first that holds wins:
// what is going on, what a person must do, what the dispatcher waits for, how
// the last run ended.
func (m *Mirror) Note(c *Card, now time.Time) Note {
	id, r := m.CardRun(c)
	if l := m.live[c.ID]; l != nil {
		return liveNote(l, r, now)
	}
	if r != nil && Active(r) {
		return RunNote(r, now)
	}
	if n, ok := m.attention(c, id); ok {
		return n
	}
	if n, ok := m.waiting(c, now); ok {
		return n
	}
	if r != nil {
		return RunNote(r, now)
	}
	return Note{}
}

func liveNote(l *dispatch.Running, r *run.Record, now time.Time) Note {
	parts := []string{since(now, l.StartedAt, l.Since)}
	if l.Attempt > 1 {
		parts = append(parts, fmt.Sprintf("try %d", l.Attempt))
	}
	p := l.Progress
	if r != nil && r.Progress != nil && (p == nil || r.Progress.At.After(p.At)) {
		p = r.Progress
	}
	switch {
	case l.Phase != dispatch.PhaseRunning && l.Phase != "":
		parts = append(parts, kit.Line(l.Phase))
	case p != nil:
		parts = append(parts, Progress(p))
	default:
		parts = append(parts, "running")
	}
	return Note{kit.MarkLive, strings.Join(parts, " · ")}
}

// Progress is what a bot said of how far it is: percent first, so that a narrow
// column keeps it.
func Progress(p *run.Progress) string {
	text := kit.Line(p.Text)
	if p.Percent != nil {
		text = strings.TrimSpace(fmt.Sprintf("%.0f%% %s", *p.Percent, text))
	}
	return text
}

// attention is what a person has to look at.
func (m *Mirror) attention(c *Card, runID string) (Note, bool) {
	switch h := m.held[c.ID]; {
	case c.AwaitingInput:
		if p := m.parked[c.ID]; p != nil && p.Question != "" {
			return Note{kit.MarkAsk, "asks: " + kit.Line(p.Question)}, true
		}
		return Note{kit.MarkAsk, "awaits your answer"}, true
	case h != nil:
		return Note{kit.MarkHeld, "held: " + kit.Line(h.Reason)}, true
	case gaveUp(c, runID):
		return Note{kit.MarkBad, fmt.Sprintf("gave up after %d: %s", c.GaveUp.Attempts, kit.Line(c.GaveUp.Reason))}, true
	case c.LaunchRefusal != nil && c.LaunchRefusal.Attempts > 0:
		return Note{kit.MarkBad, "launch refused: " + kit.Line(c.LaunchRefusal.LastReason)}, true
	}
	return Note{}, false
}

// gaveUp reports whether the card's give-up stamp is current.
func gaveUp(c *Card, runID string) bool {
	g := c.GaveUp
	return g != nil && g.State == c.State && (g.Launch || g.RunID == runID)
}

// waiting is what keeps a card from being started.
func (m *Mirror) waiting(c *Card, now time.Time) (Note, bool) {
	done := c.State == board.StateDone
	switch q, r := m.queued[c.ID], m.retries[c.ID]; {
	case r != nil:
		return Note{kit.MarkRetry, fmt.Sprintf("try %d in %s: %s", r.Attempts+1, kit.Span(r.DueAt.Sub(now)), kit.Line(r.Reason))}, true
	case len(c.OpenBlockers) > 0 && !done:
		return Note{kit.MarkBlocked, "blocked by " + m.names(c.OpenBlockers)}, true
	case c.Claim != "":
		return Note{kit.MarkClaimed, claimText(c, now)}, true
	case q != nil:
		return Note{kit.MarkWait, kit.Line(q.Reason)}, true
	}
	return Note{}, false
}

func claimText(c *Card, now time.Time) string {
	text := "claimed by " + kit.Line(c.Claim)
	if left := c.ClaimLeaseUntil.Sub(now); left > 0 {
		return text + ", " + kit.Span(left) + " left"
	}
	return text + ", lease over"
}

func (m *Mirror) names(ids []string) string {
	short := make([]string, 0, 3)
	for _, id := range ids[:min(3, len(ids))] {
		short = append(short, kit.Short(id))
	}
	text := strings.Join(short, ", ")
	if more := len(ids) - len(short); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// RunNote says where a run stands.
func RunNote(r *run.Record, now time.Time) Note {
	took := ""
	if !r.FinishedAt.IsZero() && !r.StartedAt.IsZero() {
		took = " in " + kit.Span(r.FinishedAt.Sub(r.StartedAt))
	}
	switch r.Status {
	case run.Queued:
		return Note{kit.MarkWait, "queued"}
	case run.Running:
		text := "running"
		if r.Progress != nil {
			text = Progress(r.Progress)
		}
		return Note{kit.MarkLive, since(now, r.StartedAt, r.CreatedAt) + " · " + text}
	case run.PausedHuman:
		return Note{kit.MarkAsk, "awaits your answer"}
	case run.PausedOperator:
		return Note{kit.MarkPaused, "paused"}
	case run.Finished:
		return Note{kit.MarkGood, "finished" + took}
	case run.Cancelled:
		return Note{kit.MarkStopped, "cancelled" + took}
	case run.Failed, run.FailedResumable:
		return Note{kit.MarkBad, failure(r)}
	}
	return Note{kit.MarkQuiet, kit.Line(string(r.Status))}
}

// since is the span from the first instant that is known.
func since(now time.Time, instants ...time.Time) string {
	for _, t := range instants {
		if !t.IsZero() {
			return kit.Span(now.Sub(t))
		}
	}
	return kit.Span(0)
}

func failure(r *run.Record) string {
	switch {
	case r.Error != "":
		return "failed: " + kit.Line(r.Error)
	case r.FailureCode != "":
		return "failed: " + kit.Line(r.FailureCode)
	}
	return "failed"
}

package clocks

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"iterion/sched/gate"
	"iterion/sched/resident"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// View draws the schedules and below them the ticks.
func (s *Screen) View(e *screen.Env) []string {
	t := e.Theme
	lines := []string{t.PaneHead("Schedules", fmt.Sprint(len(s.rows)), !s.panes.InLower, e.Width)}
	lines = append(lines, kit.Box(s.schedules(e), e.Width, s.panes.Rows())...)
	lines = append(lines, t.PaneHead("Ticks", s.health(e), s.panes.InLower, e.Width))
	if len(s.ticks) == 0 && s.known {
		return append(lines, t.Dim.Render("  no clock has decided anything yet"))
	}
	return append(lines, s.panes.Draw(true, func(i int, selected bool) string { return s.tick(e, s.ticks[i], selected) })...)
}

// health says when the scheduler last looked.
func (s *Screen) health(e *screen.Env) string {
	h := e.Mirror.Status.Clocks
	if h == nil || h.LastTick.IsZero() {
		return ""
	}
	return "looked " + kit.Ago(h.LastTick, e.Now)
}

func (s *Screen) schedules(e *screen.Env) []string {
	t := e.Theme
	switch {
	case s.err != nil:
		return []string{"  " + t.Bad.Render(t.Glyph.Bad) + " " + kit.Line(s.err.Error())}
	case !s.known:
		return []string{t.Dim.Render("  loading" + t.Glyph.Wait)}
	case len(s.rows) == 0:
		return []string{t.Dim.Render("  no schedules: `iterion trigger add` makes one for the daemon, `iterion schedule add` one for the host's cron")}
	}
	return s.panes.Draw(false, func(i int, selected bool) string { return s.schedule(e, s.rows[i], selected) })
}

// markOf is how a schedule stands.
func markOf(r resident.Row) kit.Mark {
	switch {
	case !r.Enabled:
		return kit.MarkStopped
	case r.Problem != "" || r.LastError != "":
		return kit.MarkBad
	case r.Due != nil && r.Due.Held != nil:
		return kit.MarkHeld
	case r.Deciding:
		return kit.MarkLive
	}
	return kit.MarkGood
}

// standing says in words when it fires next, or why it does not.
func standing(e *screen.Env, r resident.Row) string {
	switch {
	case !r.Enabled:
		return "out of force"
	case r.Problem != "":
		return kit.Line(r.Problem)
	case r.Due != nil && r.Due.Held != nil:
		return "held: " + kit.Line(r.Due.Held.Reason)
	case r.Deciding:
		return "deciding" + e.Theme.Glyph.Wait
	case r.Next.IsZero():
		return "not armed"
	}
	return "next " + in(r.Next, e.Now)
}

// in says how far ahead an instant is.
func in(at, now time.Time) string {
	if left := at.Sub(now); left > 0 {
		return "in " + kit.Span(left)
	}
	return "now"
}

// sparkMax is how many decisions the row of marks shows.
const sparkMax = 12

// schedule draws one row: mark, id, clock, what its last ticks came to, standing.
func (s *Screen) schedule(e *screen.Env, r resident.Row, selected bool) string {
	t := e.Theme
	glyph, style := t.Mark(markOf(r))
	name := kit.Fit(kit.Line(cmp.Or(r.ID, r.Bot)), max(10, min(36, e.Width/3))) + " "
	clock := ""
	if e.Width >= wide {
		clock = kit.Fit(kit.Line(r.Clock), 16) + " "
	}
	spark, plain := s.spark(e, r.ID)
	text := standing(e, r)
	if r.LastError != "" {
		text += ", last error: " + kit.Line(r.LastError)
	}
	if selected {
		return t.Accent.Render(t.Glyph.Bar) + t.Select.Bold(true).Render(kit.Fit(" "+glyph+" "+name+clock+plain+" "+text, e.Width-1))
	}
	line := "  " + style.Render(glyph) + " " + name + t.Dim.Render(clock) + spark + " "
	return line + t.Dim.Render(kit.Clip(text, max(0, e.Width-kit.Width(line)-1)))
}

// wide is the width from which on a row shows the expression.
const wide = 80

// spark is a mark for each of the last decisions, the newest to the right; plain is
// the same without styles.
func (s *Screen) spark(e *screen.Env, id string) (styled, plain string) {
	width := sparkMax
	if e.Width < wide {
		width = sparkMax / 2
	}
	last := s.last[id]
	last = last[:min(len(last), width)]
	var b, p strings.Builder
	for range width - len(last) {
		b.WriteString(" ")
		p.WriteString(" ")
	}
	for i := len(last) - 1; i >= 0; i-- {
		glyph, style := e.Theme.Mark(decisionMark(last[i]))
		b.WriteString(style.Render(glyph))
		p.WriteString(glyph)
	}
	return b.String(), p.String()
}

// decisionMark is the shape of a decision.
func decisionMark(d gate.Decision) kit.Mark {
	switch d {
	case gate.Fired:
		return kit.MarkLive
	case gate.SkippedOverlap:
		return kit.MarkQuiet
	case gate.GuardBlocked:
		return kit.MarkBlocked
	case gate.Missed:
		return kit.MarkWait
	}
	return kit.MarkBad
}

// tick draws one record: when, which schedule, what was decided, and why.
func (s *Screen) tick(e *screen.Env, r gate.Record, selected bool) string {
	t := e.Theme
	glyph, style := t.Mark(decisionMark(r.Decision))
	when := kit.Fit(kit.Ago(r.At, e.Now), 9) + " "
	name := kit.Fit(kit.Line(cmp.Or(r.ScheduleName, r.ScheduleID)), max(8, min(30, e.Width/4))) + " "
	text := kit.Line(said(r))
	names := r.BlockingRunID != "" && strings.Contains(r.Reason, r.BlockingRunID) // says the same again, at length
	if r.Reason != "" && !names && !strings.Contains(text, kit.Line(r.Reason)) {
		text += ", " + kit.Line(r.Reason)
	}
	if selected {
		return t.Accent.Render(t.Glyph.Bar) + t.Select.Bold(true).Render(kit.Fit(" "+when+name+glyph+" "+text, e.Width-1))
	}
	line := "  " + t.Faint.Render(when) + name + style.Render(glyph) + " "
	return line + t.Dim.Render(kit.Clip(text, max(0, e.Width-kit.Width(line)-1)))
}

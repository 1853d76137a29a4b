package triggers

import (
	"cmp"
	"fmt"
	"strings"

	"iterion/sched/trigger"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// View draws the subscriptions and below them the effects.
func (s *Screen) View(e *screen.Env) []string {
	t := e.Theme
	note := fmt.Sprint(len(s.subs))
	if n := len(s.problems); n > 0 {
		note += t.Bad.Render(fmt.Sprintf(", %d wrong as written: %s", n, kit.Line(s.problems[0])))
	}
	lines := []string{t.PaneHead("Subscriptions", note, !s.panes.InLower, e.Width)}
	lines = append(lines, kit.Box(s.subscriptions(e), e.Width, s.panes.Rows())...)
	lines = append(lines, t.PaneHead("Effects", s.counts(), s.panes.InLower, e.Width))
	if len(s.effects) == 0 && s.known {
		return append(lines, t.Dim.Render("  no event owes anything"))
	}
	return append(lines, s.panes.Draw(true, func(i int, selected bool) string { return s.effect(e, s.effects[i], selected) })...)
}

// counts says how many effects there are of the kinds that matter.
func (s *Screen) counts() string {
	n := map[trigger.EffectState]int{}
	for _, ef := range s.effects {
		n[ef.State]++
	}
	var parts []string
	if f := n[trigger.Failed]; f > 0 {
		parts = append(parts, fmt.Sprintf("%d given up", f))
	}
	if p := n[trigger.Pending] + n[trigger.Claimed]; p > 0 {
		parts = append(parts, fmt.Sprintf("%d to do", p))
	}
	return strings.Join(parts, ", ")
}

func (s *Screen) subscriptions(e *screen.Env) []string {
	t := e.Theme
	switch {
	case s.err != nil:
		return []string{"  " + t.Bad.Render(t.Glyph.Bad) + " " + kit.Line(s.err.Error())}
	case !s.known:
		return []string{t.Dim.Render("  loading" + t.Glyph.Wait)}
	case len(s.subs) == 0:
		return []string{t.Dim.Render("  no subscriptions: a manifest's invocations make them, and so does `iterion trigger add`")}
	}
	return s.panes.Draw(false, func(i int, selected bool) string { return s.subscription(e, s.subs[i], selected) })
}

// subMark is how a subscription stands.
func subMark(sub trigger.Subscription) kit.Mark {
	switch {
	case !sub.Enabled:
		return kit.MarkStopped
	case sub.LastError != "":
		return kit.MarkBad
	}
	return kit.MarkGood
}

// subscription draws one row: mark, id, bot, what it is for, its last error.
func (s *Screen) subscription(e *screen.Env, sub trigger.Subscription, selected bool) string {
	t := e.Theme
	glyph, style := t.Mark(subMark(sub))
	name := kit.Fit(kit.Line(sub.ID), max(10, min(34, e.Width/3))) + " "
	text := kit.Line(wants(sub))
	if sub.LastError != "" {
		text += ", last error: " + kit.Line(sub.LastError)
	}
	if selected {
		return t.Accent.Render(t.Glyph.Bar) + t.Select.Bold(true).Render(kit.Fit(" "+glyph+" "+name+kit.Line(sub.BotID)+" "+text, e.Width-1))
	}
	line := "  " + style.Render(glyph) + " " + name + kit.Line(sub.BotID) + " "
	return line + t.Dim.Render(kit.Clip(text, max(0, e.Width-kit.Width(line)-1)))
}

// wants says in words which events a subscription is for and what it does.
func wants(sub trigger.Subscription) string {
	var parts []string
	add := func(name string, values []string) {
		if len(values) > 0 {
			parts = append(parts, name+strings.Join(values, " or "))
		}
	}
	add("on ", sub.Match.Kinds)
	add("from ", sub.Match.Sources)
	add("in ", sub.Match.States)
	add("action ", sub.Match.Actions)
	add("by ", sub.Match.Authors)
	if len(sub.Match.AllLabels) > 0 {
		parts = append(parts, "with #"+strings.Join(sub.Match.AllLabels, " #"))
	}
	if len(parts) == 0 {
		parts = append(parts, "on any event")
	}
	if sub.ConsumeLabels {
		parts = append(parts, "once: the labels are taken off")
	}
	if sub.Mode == trigger.Promote {
		return strings.Join(parts, " ") + ", on the card"
	}
	return strings.Join(parts, " ") + ", a run of its own"
}

// effectMark is how an effect stands.
func effectMark(st trigger.EffectState) kit.Mark {
	switch st {
	case trigger.Done:
		return kit.MarkGood
	case trigger.Failed:
		return kit.MarkBad
	case trigger.Claimed:
		return kit.MarkLive
	}
	return kit.MarkWait
}

// effect draws one row: when, what the event was, for whom, what became of it.
func (s *Screen) effect(e *screen.Env, ef trigger.Effect, selected bool) string {
	t := e.Theme
	glyph, style := t.Mark(effectMark(ef.State))
	when := kit.Fit(kit.Ago(ef.UpdatedAt, e.Now), 9) + " "
	about := kit.Fit(kit.Line(aboutOf(ef)), max(10, e.Width*2/5)) + " "
	text := kit.Line(became(e, ef))
	if selected {
		return t.Accent.Render(t.Glyph.Bar) + t.Select.Bold(true).Render(kit.Fit(" "+when+about+glyph+" "+text, e.Width-1))
	}
	line := "  " + t.Faint.Render(when) + about + style.Render(glyph) + " "
	return line + t.Dim.Render(kit.Clip(text, max(0, e.Width-kit.Width(line)-1)))
}

// became says in words what became of an effect.
func became(e *screen.Env, ef trigger.Effect) string {
	switch ef.State {
	case trigger.Done:
		return cmp.Or(ef.Outcome, "done")
	case trigger.Failed:
		return fmt.Sprintf("given up after %d tries: %s", ef.Attempts, ef.LastError)
	case trigger.Claimed:
		return "being done"
	}
	text := "waits"
	if left := ef.NotBefore.Sub(e.Now); left > 0 {
		text = "waits " + kit.Span(left)
	}
	if ef.LastError != "" {
		text += ": " + ef.LastError
	}
	return text
}

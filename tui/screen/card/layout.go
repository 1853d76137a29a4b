package card

import (
	"fmt"
	"slices"
	"strings"

	"iterion/daemon/dispatch"
	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// Widths in cells.
const (
	twoPanes = 96 // from this window width on, the side has a pane of its own
	sideMin  = 36
	sideMax  = 56
)

// headRows are the rows above the panes: title, where it stands, fields, rule.
const headRows = 4

// layout makes the lines of both panes and tells the pagers of them.
func (s *Screen) layout(e *screen.Env) {
	sideWide := 0
	s.mainWide = max(1, e.Width-2)
	if e.Width >= twoPanes {
		sideWide = max(sideMin, min(sideMax, e.Width/3))
		s.mainWide = e.Width - sideWide - 4
	}
	c := e.Mirror.Card(s.id)
	s.main = slices.Concat(s.bodyLines(e), s.comments(e))
	s.side = nil
	if sideWide > 0 {
		s.side = s.about(e, c, sideWide)
	} else {
		s.main = slices.Concat(s.main, []string{""}, s.about(e, c, s.mainWide))
	}
	s.sideFocused = s.sideFocused && sideWide > 0
	s.mainPg.Resize(e.Height-headRows, len(s.main))
	s.sidePg.Resize(e.Height-headRows, len(s.side))
}

func (s *Screen) bodyLines(e *screen.Env) []string {
	t := e.Theme
	switch {
	case s.issue == nil && s.err != nil:
		return []string{t.Bad.Render(t.Glyph.Bad + " " + kit.Line(s.err.Error()))}
	case s.issue == nil, s.body == nil && s.issue.Body != "":
		return []string{t.Faint.Render("loading" + t.Glyph.Wait)}
	case strings.TrimSpace(s.issue.Body) == "":
		return []string{t.Faint.Render("no body")}
	}
	return s.body
}

func (s *Screen) comments(e *screen.Env) []string {
	if s.issue == nil || len(s.issue.Comments) == 0 {
		return nil
	}
	t := e.Theme
	lines := []string{"", section(t, fmt.Sprintf("Comments %d", len(s.issue.Comments)), s.mainWide)}
	for i, c := range s.issue.Comments {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, t.Strong.Render(kit.Line(c.Author))+" "+t.Faint.Render(kit.Ago(c.CreatedAt, e.Now)))
		for _, l := range kit.Lines(c.Body) {
			lines = append(lines, kit.Wrap(l, s.mainWide)...)
		}
	}
	return lines
}

// about is everything that surrounds the body.
func (s *Screen) about(e *screen.Env, c *mirror.Card, w int) []string {
	if c == nil {
		return nil
	}
	return slices.Concat(s.dispatch(e, w), s.blockers(e, c, w), s.history(e, c, w), facts(e, c, w))
}

func section(t *kit.Theme, title string, w int) string {
	return t.Strong.Render(title) + " " + t.Faint.Render(kit.Rule(t.Glyph.HLine, w-kit.Width(title)-1))
}

// dispatch is the guard table as it stands for the card. A refusal is said in
// full; of the rules that pass there are many, and their number says enough.
func (s *Screen) dispatch(e *screen.Env, w int) []string {
	t := e.Theme
	lines := []string{section(t, "Dispatch", w)}
	if s.whyErr != nil {
		return append(lines, t.Bad.Render(t.Glyph.Bad+" "+kit.Clip(kit.Line(s.whyErr.Error()), w-2)), "")
	}
	if len(s.why) == 0 {
		return append(lines, t.Faint.Render("loading"+t.Glyph.Wait), "")
	}
	passed, refused := 0, 0
	for _, v := range s.why {
		switch v.Answer {
		case dispatch.AnswerSkip, dispatch.AnswerStop:
			lines = append(lines, refusal(t, v, w)...)
			refused++
		case dispatch.AnswerPass:
			passed++
		}
	}
	return append(lines, rest(t, passed, refused, w), "")
}

// rest stands for the rules that have nothing against a start.
func rest(t *kit.Theme, passed, refused, w int) string {
	glyph, style := t.Mark(kit.MarkGood)
	text := fmt.Sprintf("%d other rules pass", passed)
	if refused == 0 {
		text = fmt.Sprintf("nothing keeps it back, all %d rules pass", passed)
	}
	return style.Render(glyph) + " " + t.Dim.Render(kit.Clip(text, w-2))
}

func refusal(t *kit.Theme, v dispatch.Verdict, w int) []string {
	glyph, style := t.Mark(kit.MarkBad)
	name := kit.Line(v.Guard)
	lines := []string{style.Render(glyph) + " " + t.Strong.Render(kit.Clip(name, w-2))}
	for _, l := range kit.Wrap(kit.Clean(v.Reason), w-2) {
		lines = append(lines, "  "+l)
	}
	if v.Remedy != "" {
		for _, l := range kit.Wrap(kit.Clean(v.Remedy), w-2) {
			lines = append(lines, "  "+t.Key.Render(l))
		}
	}
	return lines
}

// blockers are the cards that this one waits for, and those that wait for it.
func (s *Screen) blockers(e *screen.Env, c *mirror.Card, w int) []string {
	var lines []string
	if len(c.Blockers) > 0 {
		lines = append(lines, section(e.Theme, "Blocked by", w))
		for _, id := range c.Blockers {
			lines = append(lines, other(e, id, !slices.Contains(c.OpenBlockers, id), w))
		}
		lines = append(lines, "")
	}
	if waiting := e.Mirror.Dependents(c.ID); len(waiting) > 0 {
		lines = append(lines, section(e.Theme, "Blocks", w))
		for _, d := range waiting {
			lines = append(lines, other(e, d.ID, !slices.Contains(d.OpenBlockers, c.ID), w))
		}
		lines = append(lines, "")
	}
	return lines
}

func other(e *screen.Env, id string, satisfied bool, w int) string {
	t := e.Theme
	glyph, style := t.Mark(kit.MarkBlocked)
	if satisfied {
		glyph, style = t.Mark(kit.MarkGood)
	}
	title, state := "not on the board", ""
	if c := e.Mirror.Card(id); c != nil {
		title = kit.Line(c.Title)
		if col := e.Mirror.Column(c.State); col != nil {
			state = " " + kit.Line(col.Title())
		}
	}
	return kit.Clip(style.Render(glyph)+" "+t.Faint.Render(kit.Short(id))+" "+title+t.Dim.Render(state), w)
}

// history is the card's runs, newest first.
func (s *Screen) history(e *screen.Env, c *mirror.Card, w int) []string {
	if len(c.Runs) == 0 {
		return nil
	}
	t := e.Theme
	lines := []string{section(t, fmt.Sprintf("Runs %d", len(c.Runs)), w)}
	for _, ref := range slices.Backward(c.Runs) {
		n := mirror.Note{Mark: kit.MarkQuiet, Text: "no longer listed"}
		if r := e.Mirror.Run(ref.RunID); r != nil {
			n = mirror.RunNote(r, e.Now)
		}
		glyph, style := t.Mark(n.Mark)
		lines = append(lines, kit.Spread(style.Render(glyph)+" "+t.Faint.Render(kit.ShortRun(ref.RunID))+" "+n.Text, t.Faint.Render(kit.Ago(ref.At, e.Now)), w))
	}
	return append(lines, "")
}

// facts are the fields that the head has no room for.
func facts(e *screen.Env, c *mirror.Card, w int) []string {
	t := e.Theme
	rows := [][2]string{
		{"id", c.ID}, {"parent", c.ParentID}, {"assignee", c.Assignee}, {"claim", c.Claim}, {"workdir", c.LastWorkdir},
		{"filed", kit.Ago(c.CreatedAt, e.Now)}, {"changed", kit.Ago(c.UpdatedAt, e.Now)}, {"because", c.StateReason},
	}
	for _, k := range sortedKeys(c.Fields) {
		rows = append(rows, [2]string{k, fmt.Sprint(c.Fields[k])})
	}
	for _, k := range sortedKeys(c.BotArgs) {
		rows = append(rows, [2]string{"arg " + k, c.BotArgs[k]})
	}
	lines := []string{section(t, "Fields", w)}
	for _, r := range rows {
		if r[1] != "" {
			lines = append(lines, t.Dim.Render(kit.Fit(kit.Line(r[0]), 9))+" "+kit.Clip(kit.Line(r[1]), w-10))
		}
	}
	return lines
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

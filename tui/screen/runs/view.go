package runs

import (
	"fmt"
	"strings"

	"iterion/native/run"
	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// Rows that are not runs or log.
const (
	listHead   = 2 // filter or caption, rule
	detailHead = 4 // title, where it stands, facts, rule
)

func (s *Screen) listRows(e *screen.Env) int { return max(0, e.Height-listHead) }

// View draws the list or the run.
func (s *Screen) View(e *screen.Env) []string {
	if s.detail != nil {
		return s.drawDetail(e)
	}
	lines := []string{s.caption(e), e.Theme.Faint.Render(kit.Rule(e.Theme.Glyph.HLine, e.Width))}
	if len(s.rows) == 0 {
		text := "Nothing has run yet. Cards in a column that bots start from become runs."
		if len(s.words) > 0 {
			text = "No run matches."
		}
		return append(lines, "", e.Theme.Dim.Render("  "+text))
	}
	from, to := s.pg.Window()
	for i := from; i < min(to, len(s.rows)); i++ {
		lines = append(lines, s.row(e, s.rows[i], i == s.at))
	}
	return lines
}

func (s *Screen) caption(e *screen.Env) string {
	t := e.Theme
	live := 0
	for _, r := range s.rows {
		if mirror.Active(r) {
			live++
		}
	}
	count := t.Dim.Render(fmt.Sprintf("%d live, %d shown ", live, len(s.rows)))
	if s.typing || len(s.words) > 0 {
		return kit.Spread(s.line(e), count, e.Width)
	}
	return kit.Spread(" "+t.Strong.Render("Runs"), count, e.Width)
}

// line is the filter or search line.
func (s *Screen) line(e *screen.Env) string {
	t := e.Theme
	if !s.typing {
		return t.Key.Render("/") + kit.Line(s.input.Value())
	}
	in := s.input
	in.Width = max(1, e.Width-24)
	in.Cursor.Style, in.TextStyle = t.Plain.Reverse(true), t.Plain
	return t.Key.Render("/") + kit.Typed(in.View())
}

// row is one run: mark, id, bot, what it is about, where it stands, when.
func (s *Screen) row(e *screen.Env, r *run.Record, selected bool) string {
	t := e.Theme
	n := mirror.RunNote(r, e.Now)
	glyph, style := t.Mark(n.Mark)
	about := max(8, (e.Width-44)*2/5)
	left := kit.Fit(title(e, r), about) + " "
	id, bot := kit.ShortRun(r.ID)+" ", kit.Fit(kit.Line(r.Bot), 10)+" "
	when := kit.Ago(r.CreatedAt, e.Now) + " "
	if e.Width < oneLine {
		id, bot = "", ""
		left = kit.Fit(title(e, r), max(1, e.Width*2/5)) + " "
	}
	if selected {
		text := kit.Spread(glyph+" "+id+bot+left+n.Text, when, e.Width-1)
		return t.Accent.Render(t.Glyph.Bar) + t.Select.Bold(true).Render(text)
	}
	text := style.Render(glyph) + " " + t.Faint.Render(id) + t.Dim.Render(bot) + left
	text += style.Render(kit.Clip(n.Text, e.Width-kit.Width(text)-kit.Width(when)-2))
	return " " + kit.Spread(text, t.Faint.Render(when), e.Width-1)
}

// oneLine is the window width below which a row leaves out the id and the bot.
const oneLine = 80

func (s *Screen) drawDetail(e *screen.Env) []string {
	d := s.detail
	lines := append(s.detailTop(e), s.logRule(e))
	from, to := d.pg.Window()
	for i := from; i < min(to, len(d.log.rows)) && len(lines) < e.Height; i++ {
		pieces := d.lines(e, i)
		if i == from {
			pieces = pieces[min(d.sub, len(pieces)-1):]
		}
		lines = append(lines, pieces...)
	}
	lines = lines[:min(len(lines), max(detailHead, e.Height))]
	if len(d.log.rows) == 0 {
		lines = append(lines, e.Theme.Faint.Render(" "+d.empty(e)))
	}
	if s.typing && len(lines) > 0 {
		lines = kit.Box(lines, e.Width, e.Height)
		lines[len(lines)-1] = kit.Fit(s.line(e), e.Width)
	}
	return lines
}

func (d *detail) empty(e *screen.Env) string {
	switch {
	case d.err != nil:
		return kit.Line(d.err.Error())
	case d.log.end:
		return "the log is empty"
	case d.log.asked:
		return "nothing in the log yet"
	}
	return "loading" + e.Theme.Glyph.Wait
}

func (s *Screen) detailTop(e *screen.Env) []string {
	t, r := e.Theme, s.record(e)
	id := t.Faint.Render(kit.ShortRun(s.detail.id)) + " "
	if r == nil {
		return []string{kit.Spread(" "+t.Strong.Render("Run"), id, e.Width), "", ""}
	}
	n := mirror.RunNote(r, e.Now)
	glyph, style := t.Mark(n.Mark)
	name := title(e, r)
	if name == "" {
		name = kit.Line(r.Bot)
	}
	return []string{
		kit.Spread(" "+t.Strong.Render(kit.Clip(name, e.Width-18)), id, e.Width),
		" " + style.Render(glyph) + " " + style.Render(n.Text),
		" " + t.Dim.Render(strings.Join(facts(e, r), " "+t.Glyph.Dot+" ")),
	}
}

func facts(e *screen.Env, r *run.Record) []string {
	out := []string{strings.TrimSpace("bot " + kit.Line(r.Bot) + " " + kit.Line(r.BotVersion)), string(r.Status)}
	if r.Attempt > 1 {
		out = append(out, fmt.Sprintf("try %d", r.Attempt))
	}
	if r.ExitCode != nil {
		out = append(out, fmt.Sprintf("exit %d", *r.ExitCode))
	}
	if r.Signal != "" {
		out = append(out, kit.Line(r.Signal))
	}
	if r.FailureCode != "" {
		out = append(out, kit.Line(r.FailureCode))
	}
	if r.Source.IssueID != "" {
		out = append(out, "card "+kit.Short(r.Source.IssueID))
	}
	return append(out, "started "+kit.Ago(r.CreatedAt, e.Now))
}

// logRule is the line above the log: its size, and whether it is followed.
func (s *Screen) logRule(e *screen.Env) string {
	t, d := e.Theme, s.detail
	state := "held, f follows"
	switch {
	case d.hunt != nil:
		state = d.searching()
	case d.log.lazy && d.hit >= 0:
		state = "at a match, G goes to the end"
	case d.log.lazy:
		state = "G goes to the end"
	case d.log.end:
		state = "complete"
	case d.pg.Follow:
		state = "following"
	}
	if d.log.from > 0 {
		state = "from " + kit.Bytes(d.log.from) + " on, " + state
	}
	head := t.Faint.Render(t.Glyph.HLine+" ") + t.Dim.Render("log ") + t.Faint.Render(kit.Bytes(d.log.size)+" ")
	tail := t.Faint.Render(" ") + t.Dim.Render(state) + t.Faint.Render(" "+t.Glyph.HLine)
	rest := e.Width - kit.Width(head) - kit.Width(tail)
	return head + t.Faint.Render(kit.Rule(t.Glyph.HLine, rest)) + tail
}

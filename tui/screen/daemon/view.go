package daemon

import (
	"fmt"
	"strings"

	"iterion/daemon/dispatch"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// View draws the visible part of the page.
func (s *Screen) View(e *screen.Env) []string {
	s.pg.Resize(e.Height, len(s.rows))
	from, to := s.pg.Window()
	var lines []string
	for i := from; i < min(to, len(s.rows)); i++ {
		lines = append(lines, s.rows[i].draw(e, i == s.at))
	}
	return lines
}

func heading(name string) row {
	return row{draw: func(e *screen.Env, _ bool) string {
		t := e.Theme
		rest := e.Width - kit.Width(name) - 4
		return " " + t.Strong.Render(name) + " " + t.Faint.Render(kit.Rule(t.Glyph.HLine, rest))
	}}
}

func blank() row { return row{draw: func(*screen.Env, bool) string { return "" }} }

func text(s string) row {
	return row{draw: func(e *screen.Env, _ bool) string { return "   " + e.Theme.Dim.Render(s) }}
}

// factCols is the width of the names of facts.
const factCols = 12

func fact(name, value string) row {
	return row{draw: func(e *screen.Env, _ bool) string {
		return "   " + e.Theme.Dim.Render(kit.Fit(name, factCols)) + " " + value
	}}
}

// narrow is the width below which an entry leaves out its detail's column and puts
// it behind the title.
const narrow = 70

// row draws an entry: mark, title, when, and the detail with what room is left.
func (en entry) row(section string) row {
	return row{id: section + "|" + en.issue + "|" + en.run, issue: en.issue, run: en.run, draw: func(e *screen.Env, selected bool) string {
		t := e.Theme
		glyph, style := t.Mark(en.mark)
		title := kit.Fit(en.title, max(8, (e.Width-20)*2/5))
		if e.Width < narrow {
			title = kit.Clip(en.title, max(8, e.Width/2)) + " "
		}
		when := ""
		if en.when != "" {
			when = en.when + " "
		}
		room := e.Width - kit.Width(title) - kit.Width(when) - 6
		detail := kit.Clip(en.detail, max(0, room))
		if selected {
			return t.Accent.Render(t.Glyph.Bar) + t.Select.Bold(true).Render(kit.Spread(" "+glyph+" "+title+" "+detail, when, e.Width-1))
		}
		return kit.Spread("  "+style.Render(glyph)+" "+title+" "+t.Dim.Render(detail), t.Faint.Render(when), e.Width)
	}}
}

// barCols is the width of the bar that shows how much of the day's cap is spent.
const barCols = 20

func spendLine(e *screen.Env, d dispatch.Snapshot) string {
	sp := d.Spend
	switch {
	case d.SpendProblem != "":
		return "unreadable, so nothing starts: " + kit.Line(d.SpendProblem)
	case sp.Day == "":
		return "not read yet"
	case sp.CapUSD <= 0:
		return fmt.Sprintf("$%.2f on %s, no cap", sp.TotalUSD, sp.Day)
	}
	full := min(barCols, max(0, int(sp.TotalUSD/sp.CapUSD*barCols)))
	g := e.Theme.Glyph
	line := fmt.Sprintf("%s%s $%.2f of $%.2f on %s", kit.Rule(g.Heavy, full), kit.Rule(g.HLine, barCols-full), sp.TotalUSD, sp.CapUSD, sp.Day)
	switch {
	case sp.Reached:
		line += ": the cap is reached, nothing starts (`iterion spend override` lifts it)"
	case sp.LiftedBy != "":
		line += ", the cap was lifted by " + kit.Line(sp.LiftedBy)
	}
	return line
}

// facts are what the daemon is and how it stands.
func facts(e *screen.Env) [][2]string {
	s := e.Mirror.Status
	out := [][2]string{{"process", fmt.Sprintf("pid %d on %s, version %s, up %s", s.PID, kit.Line(s.Host), kit.Line(s.Version), kit.Span(e.Now.Sub(s.StartedAt)))}}
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, kit.Line(value)})
		}
	}
	add("store", s.StoreDir)
	add("workspaces", s.WorkspaceRoot)
	add("settings", s.ConfigPath)
	role := "this daemon owns the store's clocks, triggers and socket"
	if !s.Singleton {
		role = "another daemon owns the store's singletons; this one only dispatches"
	}
	add("role", role)
	if s.Watchdog {
		add("watchdog", "takes over cards whose holders have died")
	}
	mode := s.Watcher.Mode
	if s.Watcher.Reason != "" {
		mode += ": " + s.Watcher.Reason
	}
	add("watcher", mode)
	if s.Listen != "" {
		add("metrics", "http://"+s.Listen+"/metrics")
	}
	add("settled", settled(s.Dispatch.Settled))
	return out
}

// settled counts how cards left, in the order of the table of dispositions.
func settled(by map[string]int64) string {
	var parts []string
	for _, what := range []string{dispatch.Completed, dispatch.GaveUp, dispatch.Revert, dispatch.Parked, dispatch.Held} {
		if n := by[what]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ToLower(what)))
		}
	}
	return strings.Join(parts, ", ")
}

// troubles are the newest errors and what does not fit.
func troubles(e *screen.Env, d dispatch.Snapshot) (rows []row) {
	s := e.Mirror.Status
	var lines []string
	if s.ConfigProblem != "" {
		lines = append(lines, "the settings file is wrong, the last good one holds: "+kit.Line(s.ConfigProblem))
	}
	if len(s.RestartNeeded) > 0 {
		lines = append(lines, "these settings hold from the next start on: "+kit.Line(strings.Join(s.RestartNeeded, ", ")))
	}
	for _, w := range d.Warnings {
		lines = append(lines, kit.Line(w))
	}
	for _, p := range d.Errors {
		lines = append(lines, kit.Ago(p.At, e.Now)+": "+kit.Line(p.What))
	}
	if len(lines) == 0 {
		return nil
	}
	rows = append(rows, blank(), heading("Trouble"))
	for _, l := range lines {
		rows = append(rows, row{draw: func(e *screen.Env, _ bool) string {
			glyph, style := e.Theme.Mark(kit.MarkBad)
			return "  " + style.Render(glyph) + " " + kit.Clip(l, max(1, e.Width-5))
		}})
	}
	return rows
}

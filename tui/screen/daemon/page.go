package daemon

import (
	"cmp"
	"fmt"

	"iterion/daemon/dispatch"
	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// entry is what the page says of a card or a run: a mark, what it is about, how long
// or when, and why.
type entry struct {
	mark        kit.Mark
	issue, run  string
	title, when string
	detail      string
}

// page makes the rows: what runs, what waits, what a person must see to, the day's
// money, the daemon itself, and what went wrong.
func page(e *screen.Env) []row {
	d := e.Mirror.Status.Dispatch
	var rows []row
	rows = section(rows, fmt.Sprintf("Running, %d of %d slots", d.SlotsUsed, d.SlotsMax), running(e, d), "Nothing runs.")
	rows = section(rows, "Waiting", waiting(e, d), "No card waits.")
	rows = section(rows, "Tried again", retries(e, d), "")
	rows = section(rows, "For a person", holds(e, d), "")
	rows = append(rows, heading("Money"), text(spendLine(e, d)), blank())
	rows = append(rows, heading("Daemon"))
	for _, f := range facts(e) {
		rows = append(rows, fact(f[0], f[1]))
	}
	return append(rows, troubles(e, d)...)
}

// section adds a heading and its entries; without any, what none says, or nothing
// at all.
func section(rows []row, name string, entries []entry, none string) []row {
	if len(entries) == 0 && none == "" {
		return rows
	}
	rows = append(rows, heading(name))
	for _, en := range entries {
		rows = append(rows, en.row(name))
	}
	if len(entries) == 0 {
		rows = append(rows, text(none))
	}
	return append(rows, blank())
}

func running(e *screen.Env, d dispatch.Snapshot) (out []entry) {
	for _, r := range d.Running {
		en := entry{mark: kit.MarkLive, issue: r.IssueID, run: r.RunID, title: titleOf(e, r.IssueID, cmp.Or(r.Title, r.Bot)), when: kit.Span(e.Now.Sub(cmp.Or(r.StartedAt, r.Since)))}
		en.detail = kit.Line(r.Bot)
		if r.Attempt > 1 {
			en.detail += fmt.Sprintf(", try %d", r.Attempt)
		}
		switch rec := e.Mirror.Run(r.RunID); {
		case rec != nil && rec.Progress != nil:
			en.detail += ", " + mirror.Progress(rec.Progress)
		case r.Phase != dispatch.PhaseRunning:
			en.detail += ", " + r.Phase
		}
		if r.By != "" && r.IssueID == "" {
			en.detail += ", by " + kit.Line(r.By)
		}
		out = append(out, en)
	}
	return out
}

func waiting(e *screen.Env, d dispatch.Snapshot) (out []entry) {
	for _, q := range d.Queue {
		out = append(out, entry{mark: kit.MarkWait, issue: q.IssueID, run: q.RunID, title: titleOf(e, q.IssueID, q.Title), detail: kit.Line(q.Guard + ": " + q.Reason)})
	}
	return out
}

func retries(e *screen.Env, d dispatch.Snapshot) (out []entry) {
	for _, r := range d.Retries {
		en := entry{mark: kit.MarkRetry, issue: r.IssueID, title: titleOf(e, r.IssueID, r.Title), when: "due now"}
		if left := r.DueAt.Sub(e.Now); left > 0 {
			en.when = "in " + kit.Span(left)
		}
		en.detail = fmt.Sprintf("%d tries spent: %s", r.Attempts, kit.Line(r.Reason))
		if r.QuotaWaits > 0 {
			en.detail = "waits for an allowance: " + kit.Line(r.Reason)
		}
		out = append(out, en)
	}
	return out
}

func holds(e *screen.Env, d dispatch.Snapshot) (out []entry) {
	for _, h := range d.Parked {
		en := entry{mark: kit.MarkAsk, detail: "asks: " + kit.Line(h.Question)}
		switch {
		case h.Ready:
			en = entry{mark: kit.MarkWait, detail: kit.Line(cmp.Or(h.Waits, "goes on as soon as it can"))}
		case h.Question == "":
			en = entry{mark: kit.MarkPaused, detail: kit.Line(h.Reason)}
		}
		out = append(out, en.hold(e, h))
	}
	for _, h := range d.Held {
		out = append(out, entry{mark: kit.MarkHeld, detail: kit.Line(h.Reason)}.hold(e, h))
	}
	return out
}

func (en entry) hold(e *screen.Env, h dispatch.Hold) entry {
	en.issue, en.run, en.title = h.IssueID, h.RunID, titleOf(e, h.IssueID, h.Title)
	if !h.Since.IsZero() {
		en.when = kit.Ago(h.Since, e.Now)
	}
	return en
}

// titleOf is the card's title as the board has it, or what else is known.
func titleOf(e *screen.Env, issue, known string) string {
	if c := e.Mirror.Card(issue); c != nil {
		return kit.Line(c.Title)
	}
	return kit.Line(known)
}

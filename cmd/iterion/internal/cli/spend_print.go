package cli

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"iterion/native/board"
	"iterion/native/run"
	"iterion/native/spend"
)

// spendJSON is a day in JSON. CapUSD and LeftUSD are there when a cap holds.
type spendJSON struct {
	Day      string          `json:"day"`
	TotalUSD float64         `json:"total_usd"`
	CapUSD   float64         `json:"cap_usd,omitempty"`
	LeftUSD  *float64        `json:"left_usd,omitempty"`
	Reached  bool            `json:"reached"`
	Override *spend.Override `json:"override,omitempty"`
	Runs     []shareJSON     `json:"runs"` // the dearest first
}

// shareJSON is what one run added to a day. What is known of the run itself is
// missing once the run was removed.
type shareJSON struct {
	RunID   string  `json:"run_id"`
	USD     float64 `json:"usd"` // on this day
	Bot     string  `json:"bot,omitempty"`
	IssueID string  `json:"issue_id,omitempty"`
	Status  string  `json:"status,omitempty"`
	CostUSD float64 `json:"cost_usd,omitempty"` // on all days
}

func newSpendJSON(runs *run.Dir, s spend.Status) spendJSON {
	j := spendJSON{
		Day: s.Day.Day, TotalUSD: s.Day.TotalUSD, CapUSD: s.CapUSD, Reached: s.Reached,
		Override: s.Day.Override, Runs: shares(runs, s.Day),
	}
	if s.CapUSD > 0 {
		left := s.Left()
		j.LeftUSD = &left
	}
	return j
}

// shares are the runs of a day, the dearest first.
func shares(runs *run.Dir, d spend.Day) []shareJSON {
	all := make([]shareJSON, 0, len(d.Runs))
	for _, id := range slices.Sorted(maps.Keys(d.Runs)) {
		s := shareJSON{RunID: id, USD: d.Runs[id]}
		if rec, err := runs.Get(id); err == nil {
			s.Bot, s.IssueID, s.Status, s.CostUSD = rec.Bot, rec.Source.IssueID, string(rec.Status), rec.CostUSD
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b shareJSON) int { return cmp.Compare(b.USD, a.USD) })
	return all
}

func (f *Factory) printSpent(runs *run.Dir, s spend.Status) error {
	j := newSpendJSON(runs, s)
	switch {
	case f.Global.JSON:
		return f.PrintJSON(j)
	case f.Global.Quiet:
		f.Say("%s", usd(j.TotalUSD))
	default:
		f.sayDay(s)
		f.sayShares(j.Runs)
	}
	return nil
}

func (f *Factory) sayDay(s spend.Status) {
	f.Say("%-9s %s (UTC)", "day", s.Day.Day)
	f.Say("%-9s %s%s", "spent", spend.Dollars(s.Day.TotalUSD), ofCap(s))
	if o := s.Day.Override; o != nil {
		f.Say("%-9s by %s at %s: %s", "lifted", o.GrantedBy, instant(o.GrantedAt), o.Note)
	} else if s.CapUSD > 0 {
		f.Say("%-9s %s", "left", spend.Dollars(s.Left()))
	}
	if s.Reached {
		f.Talk("at the cap: nothing starts before midnight UTC, or `iterion spend override --note WHY`")
	}
}

func ofCap(s spend.Status) string {
	if s.CapUSD == 0 {
		return ""
	}
	return " of " + spend.Dollars(s.CapUSD)
}

// topRuns is how many runs are listed for people; --json has them all.
const topRuns = 10

func (f *Factory) sayShares(all []shareJSON) {
	if len(all) == 0 {
		f.Talk("no run has cost anything on this day")
		return
	}
	f.Say("")
	t := Table{Head: []string{"RUN", "COST", "STATUS", "BOT", "ISSUE"}}
	for _, s := range all[:min(len(all), topRuns)] {
		t.Row(run.Short(s.RunID), spend.Dollars(s.USD), cmp.Or(s.Status, "removed"), s.Bot, board.ShortID(s.IssueID))
	}
	t.Print(f)
	if rest := all[min(len(all), topRuns):]; len(rest) > 0 {
		var sum float64
		for _, s := range rest {
			sum += s.USD
		}
		f.Talk("and %d more that cost %s; --json lists them all", len(rest), spend.Dollars(sum))
	}
}

func (f *Factory) printDays(days []spend.Day) error {
	if f.Global.JSON {
		runs, err := f.Runs()
		if err != nil {
			return err
		}
		list := make([]spendJSON, len(days))
		for i, d := range days {
			list[i] = newSpendJSON(runs, spend.Status{Day: d})
		}
		return f.PrintJSON(list)
	}
	if f.Global.Quiet {
		for _, d := range days {
			f.Say("%s %s", d.Day, usd(d.TotalUSD))
		}
		return nil
	}
	if len(days) == 0 {
		f.Talk("no run has cost anything on these days")
		return nil
	}
	t := Table{Head: []string{"DAY", "COST", "RUNS", "CAP LIFTED"}}
	for _, d := range days {
		lifted := ""
		if o := d.Override; o != nil {
			lifted = "by " + o.GrantedBy + ": " + o.Note
		}
		t.Row(d.Day, spend.Dollars(d.TotalUSD), strconv.Itoa(len(d.Runs)), lifted)
	}
	t.Print(f)
	return nil
}

// usd is an amount for a script.
func usd(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

package cli

import (
	"testing"
	"time"

	"iterion/native/run"
)

func TestLiveLine(t *testing.T) {
	percent := func(p float64) *float64 { return &p }
	for name, c := range map[string]struct {
		rec   run.Record
		after time.Duration
		width int
		want  string
	}{
		"queued":   {run.Record{Bot: "tidy", Status: run.Queued}, 0, 80, "⠋ tidy queued"},
		"silent":   {run.Record{Bot: "tidy", Status: run.Running, StartedAt: began}, 12 * time.Second, 80, "⠋ tidy 0:12"},
		"set back": {run.Record{Bot: "tidy", Status: run.Running, StartedAt: began}, -12 * time.Second, 80, "⠋ tidy 0:00"},
		"all of it": {
			run.Record{Bot: "tidy", Status: run.Running, StartedAt: began, CostUSD: 0.1249, Progress: &run.Progress{Text: " reading\nthe tests ", Percent: percent(47)}},
			time.Hour + 2*time.Minute, 80, "⠋ tidy 1:02:00 · ━━━━────── 47% · $0.12 · reading the tests",
		},
		"narrow": {
			run.Record{Bot: "tidy", Status: run.Running, StartedAt: began, Progress: &run.Progress{Percent: percent(250)}},
			0, 40, "⠋ tidy 0:00 · 100%",
		},
		"hostile": {
			run.Record{Bot: "tidy", Status: run.Running, StartedAt: began, Progress: &run.Progress{Text: "\x1b]0;x\a\u202e"}},
			0, 80, `⠋ tidy 0:00 · ^[]0;x^G\u202e`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := liveLine(c.rec, began.Add(c.after), c.width); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

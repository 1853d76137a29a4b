package cli

import (
	"fmt"
	"strings"
	"time"

	"iterion/native/run"
	"iterion/native/spend"
)

// The parts of a status line.
const (
	spinFrames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
	spinEvery  = 120 * time.Millisecond
	barCells   = 10
	barFrom    = 60 // narrower terminals have no room for a bar
)

// liveLine is how far a run is, on one line: "⠹ tidy 0:42 · ━━━━──── 60% · $0.12 ·
// reading the tests". What a bot said comes last, for it may be cut.
func liveLine(rec run.Record, now time.Time, width int) string {
	parts := []string{spinner(now) + " " + rec.Bot + " " + elapsed(rec, now)}
	if p := rec.Progress; p != nil && p.Percent != nil {
		parts = append(parts, bar(*p.Percent, width))
	}
	if rec.CostUSD > 0 {
		parts = append(parts, spend.Dollars(rec.CostUSD))
	}
	if p := rec.Progress; p != nil && strings.TrimSpace(p.Text) != "" {
		parts = append(parts, strings.TrimSpace(p.Text))
	}
	return visibleLine(strings.Join(parts, " · "))
}

func spinner(now time.Time) string {
	frames := []rune(spinFrames)
	return string(frames[now.UnixNano()/int64(spinEvery)%int64(len(frames))])
}

// elapsed is the time since the bot began, or why there is none.
func elapsed(rec run.Record, now time.Time) string {
	if rec.Status != run.Running || rec.StartedAt.IsZero() {
		return string(rec.Status)
	}
	s := int(max(0, now.Sub(rec.StartedAt)).Seconds())
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

func bar(percent float64, width int) string {
	done := min(max(percent, 0), 100)
	text := fmt.Sprintf("%.0f%%", done)
	if width < barFrom {
		return text
	}
	full := int(done * barCells / 100)
	return strings.Repeat("━", full) + strings.Repeat("─", barCells-full) + " " + text
}

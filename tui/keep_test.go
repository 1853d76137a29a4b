package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/run"
)

func windowOf(w, h int) tea.WindowSizeMsg { return tea.WindowSizeMsg{Width: w, Height: h} }

// refresh makes a random change of what the daemon shows that leaves alone what the
// person is on: card 4 and run 4 stay.
func refresh(r *rand.Rand, n int) control.Frame {
	var f control.Frame
	if r.IntN(20) == 0 {
		f = sampleFrame()
		f.Cards = append(f.Cards, extraCards()...)
		f.Runs = append(f.Runs, extraRuns()...)
	}
	for range r.IntN(4) {
		c := extraCards()[r.IntN(40)]
		switch r.IntN(3) {
		case 0:
			f.Gone = append(f.Gone, c.ID)
		case 1:
			c.State = []string{"review", "backlog", "done"}[r.IntN(3)]
			f.Cards = append(f.Cards, c)
		default:
			c.Title, c.Priority = fmt.Sprintf("Other %d", r.IntN(1000)), r.IntN(5)-2
			f.Cards = append(f.Cards, c)
		}
	}
	for range r.IntN(3) {
		rec := runOf(500+n, 7, "new", run.Finished)
		rec.CreatedAt = ago(time.Duration(r.IntN(2400)) * time.Second)
		f.Runs = append(f.Runs, rec)
	}
	if r.IntN(3) == 0 {
		f.Status = sampleStatus()
		for i := range r.IntN(6) {
			f.Status.Dispatch.Queue = append([]dispatch.Queued{{IssueID: cardID(100 + i), Guard: "slots", Reason: fmt.Sprint(r.IntN(9))}}, f.Status.Dispatch.Queue...)
		}
	}
	return f
}

func extraCards() (out []control.Card) {
	for i := range 40 {
		out = append(out, cardIn(100+i, "ready", fmt.Sprintf("Card %d", i)))
	}
	return out
}

func extraRuns() (out []run.Record) {
	for i := range 60 {
		out = append(out, runOf(200+i, 7, "old", run.Finished))
	}
	return out
}

// line is the first line of the window that holds text, without blanks; empty for none.
func (d *driver) line(text string) string {
	for l := range strings.SplitSeq(d.view(), "\n") {
		if strings.Contains(l, text) {
			return strings.Join(strings.Fields(l), " ")
		}
	}
	return ""
}

// TestRefreshesKeepThePlaceOnEveryScreen: whatever the daemon shows meanwhile, what the
// person is on, has scrolled to and has typed half stays.
func TestRefreshesKeepThePlaceOnEveryScreen(t *testing.T) {
	for _, s := range []struct {
		name string
		play func(d *driver)
		keep []string // texts whose lines stay as they are
		says []string // texts that are shown all the time
	}{
		{"filter half typed", func(d *driver) { d.press("/"); d.text("pager") }, nil, []string{"/pager", "Fix the off-by-one in", "▌04040404"}},
		{"card scrolled", func(d *driver) {
			d.src.body = numbered(300)
			d.press(":")
			d.text("off-by-one")
			d.press("enter", "pgdown", "pgdown", "down")
		}, nil, []string{"line 47 ", "Fix the off-by-one"}},
		{"run list", func(d *driver) { d.press("3", "/"); d.text("fix-bug"); d.press("enter") }, nil, []string{"▌● 04040404"}},
		{"log held", func(d *driver) {
			d.src.setLog(runID(4), numbered(500))
			d.press("3", "enter", "pgup", "pgup", "up")
		}, nil, []string{"line 440 ", "held, f follows"}},
		{"log search half typed", func(d *driver) {
			d.src.setLog(runID(4), numbered(500))
			d.press("3", "enter", "pgup", "/")
			d.text("half ty")
		}, nil, []string{"/half ty", "line 470 "}},
		{"daemon on a run", func(d *driver) { d.press("6", "down", "up") }, nil, []string{"▌ ● Fix the off-by-one"}},
		{"clocks", func(d *driver) { d.press("4", "down") }, []string{"▌"}, nil},
		{"triggers", func(d *driver) { d.press("5", "down") }, []string{"▌"}, nil},
		{"comment half typed", func(d *driver) { d.press("c"); d.text("half a rema") }, nil, []string{"half a rema"}},
		{"edit half typed", func(d *driver) {
			d.press("e", "tab")
			d.text("half a body ")
			d.press("tab", "tab", "tab")
			d.text(" lab")
		}, nil, []string{"half a body", " lab"}},
		{"answer half typed", func(d *driver) {
			waitingRun(d)
			d.press("3", "/")
			d.text("legal")
			d.press("enter", "A", "right", "tab", "tab")
			d.text("half an answer")
		}, nil, []string{"half an answer", "‹ yes ›"}},
		{"palette half typed", func(d *driver) { d.press(":"); d.text("off-by"); d.press("down") }, nil, []string{": off-by", "Fix the off-by-one"}},
		{"help searched", func(d *driver) { d.press("?", "/"); d.text("undo me") }, nil, []string{"/undo me", "no key does that"}},
		{"picker", func(d *driver) { d.press("m", "down", "down") }, nil, []string{"▌4 Waiting deps"}},
	} {
		t.Run(s.name, func(t *testing.T) {
			d := live(t, 100, 30)
			f := sampleFrame()
			f.Cards = append(f.Cards, extraCards()...)
			f.Runs = append(f.Runs, extraRuns()...)
			d.frame(f)
			s.play(d)
			d.wants(s.says...)
			kept := make([]string, len(s.keep))
			for i, text := range s.keep {
				if kept[i] = d.line(text); kept[i] == "" {
					t.Fatalf("there is no %q:\n%s", text, d.view())
				}
			}
			r := rand.New(rand.NewPCG(5, 6))
			for n := range 1000 {
				_, cmd := d.m.Update(framed{refresh(r, n)})
				if n%50 == 0 {
					d.run(cmd)
				}
				if n%5 != 4 {
					continue
				}
				d.wants(s.says...)
				for i, text := range s.keep {
					if got := d.line(text); got != kept[i] {
						t.Fatalf("after %d refreshes %q became %q", n, kept[i], got)
					}
				}
			}
		})
	}
}

package tui

import (
	"errors"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/tui/screen"
)

// nasty is a text with everything in it that could harm a terminal or bend a border.
const nasty = "\x1b[2J\x1b[31mred\x1b]52;c;aGFja2Vk\x07\x1b]8;;http://e.vil\x1b\\link\x1b]8;;\x1b\\ a\tb 👩\u200d💻👨\u200d👩\u200d👧 日本語 e\u0301a\u0300 שלום \u202eevil\u202c \x9b2J \u009b2J \x00\x08\x7f\r\n\xff"

// nastyFrame is the sample with that text wherever a card, a bot or a log can put one.
func nastyFrame() control.Frame {
	f := sampleFrame()
	schema := *f.Schema
	schema.States = append([]board.State(nil), schema.States...)
	schema.States[2].Display = "Ready " + nasty
	schema.Views = []board.View{{Name: nasty, Search: nasty}}
	f.Schema = &schema
	for i := range f.Cards {
		c := &f.Cards[i]
		c.Title = nasty + c.Title
		c.Bot, c.Assignee, c.Labels, c.StateReason, c.LastWorkdir = nasty, nasty, []string{nasty, "plain"}, nasty, nasty
		c.BotArgs, c.Fields = map[string]string{nasty: nasty}, map[string]any{nasty: nasty}
	}
	f.Cards[11].Claim = nasty
	f.Cards[9].GaveUp.Reason = nasty
	for i := range f.Runs {
		r := &f.Runs[i]
		r.Bot, r.Name, r.Error, r.BotVersion = nasty, nasty, nasty, nasty
		if r.Progress != nil {
			r.Progress.Text = nasty
		}
	}
	d := &f.Status.Dispatch
	d.Desired = dispatch.Desired{Desired: "paused", By: nasty, Reason: nasty}
	d.Queue[0].Reason, d.Retries[0].Reason, d.Parked[0].Question = nasty, nasty, nasty
	d.Warnings = []string{nasty}
	d.Errors = []dispatch.Problem{{At: noon, What: nasty}}
	f.Status.ConfigProblem, f.Status.ConfigPath, f.Status.Host = nasty, nasty, nasty
	f.Status.Watcher = control.Watcher{Mode: "polling", Reason: nasty}
	f.Broken = []control.Broken{{Path: nasty, Error: nasty}}
	return f
}

// harmed are the windows in which such texts can be met.
var harmed = []struct {
	name string
	play func(d *driver)
}{
	{"board", func(d *driver) {}},
	{"board-filter", func(d *driver) {
		d.press("/")
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(nasty), Paste: true})
	}},
	{"board-grouped", func(d *driver) { d.press("b", "3") }},
	{"views", func(d *driver) { d.press("v") }},
	{"move", func(d *driver) { d.press("m") }},
	{"create", func(d *driver) {
		d.press("n")
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(nasty), Paste: true})
	}},
	{"edit", func(d *driver) { d.src.title, d.src.body = nasty, nasty; d.press("e") }},
	{"labels", func(d *driver) { d.press("t") }},
	{"bots", func(d *driver) {
		d.send(screen.BotsKnown{Bots: []control.BotInfo{{Slug: nasty, Description: nasty, Enabled: true}}})
		d.press("a")
	}},
	{"palette", func(d *driver) { d.press(":"); d.text("red") }},
	{"card", func(d *driver) {
		d.src.body = nasty + "\n\n# " + nasty + "\n\n- " + nasty
		d.press("right", "right", "enter")
	}},
	{"runs", func(d *driver) { d.press("3") }},
	{"log", func(d *driver) { d.src.setLog(runID(4), nasty+"\n"+nasty+nasty+nasty); d.press("3", "enter") }},
	{"log-wrapped", func(d *driver) { d.src.setLog(runID(4), nasty+"\n"+nasty+nasty+nasty); d.press("3", "enter", "w") }},
	{"cancel", func(d *driver) { d.press("3", "x") }},
	{"daemon", func(d *driver) { d.press("6") }},
	{"question", func(d *driver) {
		waitingRun(d)
		d.send(screen.QuestionOf(run.Interaction{RunID: runID(6), Questions: run.Form{Question: nasty + "\n" + nasty, Fields: []run.Field{
			{Name: nasty, Label: nasty, Type: run.FieldChoice, Choices: []string{nasty, "b"}, Default: "b"},
		}}}))
	}},
	{"toast", func(d *driver) { d.send(screen.Done{Err: errors.New(nasty)}) }},
	{"lost", func(d *driver) { d.send(lost{err: errors.New(nasty)}) }},
}

// TestHostileTextHarmsNothing: checkWindow finds lines that are too wide and sequences
// that are no style, and the golden files show straight borders.
func TestHostileTextHarmsNothing(t *testing.T) {
	for _, s := range harmed {
		t.Run(s.name, func(t *testing.T) {
			d := live(t, 100, 30)
			d.frame(nastyFrame())
			s.play(d)
			golden(t, "hostile-"+s.name, d.view())
			for _, w := range []int{24, 25, 31, 40, 69, 70, 96, 133, 200} {
				d.send(windowOf(w, 20))
				d.view()
			}
		})
	}
}

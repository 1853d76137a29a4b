package screen

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/tui/kit"
	"iterion/tui/mirror"
)

// AskAssign offers the bots for cards.
func (e *Env) AskAssign(cards []*mirror.Card) {
	if !e.May() || len(cards) == 0 {
		return
	}
	var slugs []string
	now := ""
	if len(cards) == 1 {
		now = cards[0].Bot
	}
	p := kit.Picker{Ask: "Bot for " + nameOf(cards)}
	p.Items, p.At = e.botItems(&slugs, now)
	p.Pick = func(i int) tea.Cmd {
		var edits []edit
		for _, c := range cards {
			if c.Bot != slugs[i] {
				edits = append(edits, edit{id: c.ID, forth: control.UpdateIssue{Bot: &slugs[i], By: e.By}, back: control.UpdateIssue{Bot: &c.Bot, By: e.By}})
			}
		}
		if len(edits) == 0 {
			return nil
		}
		return e.edit(nil, "", "bot of "+nameOf(cards), edits)
	}
	e.Open(kit.Choose(p))
}

// AskLabels edits the labels of a card, or adds to and takes from those of several.
func (e *Env) AskLabels(cards []*mirror.Card) {
	if !e.May() || len(cards) == 0 {
		return
	}
	if len(cards) == 1 {
		c := cards[0]
		e.Open(kit.NewForm("Labels of "+nameOf(cards), func(f *kit.Form) (tea.Cmd, string) {
			want := wordsOf(f.Fields[0].Value())
			return e.relabel(f, cards, without(want, c.Labels), without(c.Labels, want)), ""
		}, &kit.Field{Name: "Labels", Kind: kit.FieldLine, Text: strings.Join(c.Labels, ", "), Hint: "by commas"}))
		return
	}
	e.Open(kit.NewForm("Labels of "+nameOf(cards), func(f *kit.Form) (tea.Cmd, string) {
		return e.relabel(f, cards, wordsOf(f.Fields[0].Value()), wordsOf(f.Fields[1].Value())), ""
	}, &kit.Field{Name: "Add", Kind: kit.FieldLine, Hint: "by commas"}, &kit.Field{Name: "Take off", Kind: kit.FieldLine, Hint: "by commas"}))
}

func (e *Env) relabel(f *kit.Form, cards []*mirror.Card, add, remove []string) tea.Cmd {
	var edits []edit
	for _, c := range cards {
		on, off := without(add, c.Labels), without(remove, without(remove, c.Labels))
		if len(on)+len(off) > 0 {
			edits = append(edits, edit{id: c.ID, forth: control.UpdateIssue{AddLabels: on, RemoveLabels: off, By: e.By}, back: control.UpdateIssue{AddLabels: off, RemoveLabels: on, By: e.By}})
		}
	}
	if len(edits) == 0 {
		return nil
	}
	return e.edit(f, "", "labels of "+nameOf(cards), edits)
}

// CopyID puts a card's id, whole, on the clipboard.
func (e *Env) CopyID(id string) {
	if e.Copy == nil {
		e.Say(kit.MarkQuiet, id)
		return
	}
	e.Copy(id)
	e.Say(kit.MarkGood, "copied "+kit.Line(id))
}

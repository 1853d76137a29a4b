package tui

import (
	"strings"
	"testing"

	"iterion/daemon/control"
	"iterion/native/board"
)

// calls are what the daemon was asked, from the nth on.
func callsFrom(d *driver, n int) []string {
	all := strings.Split(d.src.calls(), "\n")
	if d.src.calls() == "" || n >= len(all) {
		return nil
	}
	return all[n:]
}

func TestMarkedCardsMoveTogetherAndComeBack(t *testing.T) {
	d := live(t, 100, 30)
	d.press("right", " ", " ", " ") // three of the ready ones
	d.wants("3 marked")
	d.press("m")
	d.wants("Move 3 cards to")
	d.press("2", "enter")
	got := callsFrom(d, 0)
	if len(got) != 3 || !strings.Contains(got[0], "to backlog") {
		t.Fatalf("asked %q", got)
	}
	f := control.Frame{}
	for _, call := range got { // the daemon does so
		id := strings.Fields(call)[1]
		for _, c := range sampleFrame().Cards {
			if c.ID == id {
				c.State = "backlog"
				f.Cards = append(f.Cards, c)
			}
		}
	}
	d.frame(f)
	d.lacks("marked")
	d.press("u")
	back := callsFrom(d, 3)
	if len(back) != 3 || !strings.Contains(back[0], "to ready") {
		t.Fatalf("asked %q", back)
	}
}

func TestUndoLeavesAloneWhatMovedOn(t *testing.T) {
	d := live(t, 100, 30)
	d.press("right", ">")
	if got := callsFrom(d, 0); len(got) != 1 {
		t.Fatalf("asked %q", got)
	}
	id := strings.Fields(callsFrom(d, 0)[0])[1]
	for _, c := range sampleFrame().Cards {
		if c.ID == id {
			c.State = "done"
			d.frame(control.Frame{Cards: []control.Card{c}})
		}
	}
	d.press("u")
	d.wants("moved on meanwhile")
	if got := callsFrom(d, 1); got != nil {
		t.Fatalf("asked %q", got)
	}
	d.press("u")
	d.wants("there is nothing to take back")
}

func TestEditWritesOnlyWhatChangedAndUndoWritesItBack(t *testing.T) {
	d := live(t, 100, 40)
	d.press("right", "e")
	d.wants("Edit 01010101", "Cache the manifest index between runs", "perf")
	d.text("!")
	d.press("ctrl+s")
	asked(t, d, `update `+cardID(1)+` {"title":"Cache the manifest index between runs!","by":"tester"}`)
	d.press("u")
	asked(t, d, `update `+cardID(1)+` {"title":"Cache the manifest index between runs","by":"tester"}`)
}

func TestLabelsAndBotOfOneAndOfSeveral(t *testing.T) {
	d := live(t, 100, 40)
	d.press("right", "t")
	d.wants("Labels of 01010101")
	d.text(", hot")
	d.press("enter")
	asked(t, d, `update `+cardID(1)+` {"add_labels":["hot"],"by":"tester"}`)
	d.press(" ", " ", "t")
	d.text("new")
	d.press("tab")
	d.text("perf")
	d.press("ctrl+s")
	got := callsFrom(d, 1)
	if len(got) != 2 || !strings.Contains(got[0]+got[1], `"remove_labels":["perf"]`) {
		t.Fatalf("asked %q", got)
	}
	d.press("a")
	d.wants("Bot for 0c0c0c0c", "hello")
}

func TestViewsOrderAndGroups(t *testing.T) {
	d := live(t, 160, 40)
	d.press("v")
	d.wants("no saved views")
	schema := *columns()
	schema.Views = []board.View{{Name: "ops only", Bot: "ops", GroupBy: "label"}}
	d.frame(control.Frame{Schema: &schema})
	d.press("v", "2")
	d.wants("view ops only", "grouped by first label", "Trim the container image")
	d.lacks("Cache the manifest", "Retry flaky")
	d.press("esc")
	d.wants("Cache the manifest")
	d.press("right", "b", "2")
	d.wants("bot: docs", "bot: feature-dev", "bot: ops")
	d.press("s", "7")
	d.wants("by title")
}

func TestCopyPutsTheIDOnTheTerminalsClipboard(t *testing.T) {
	d := live(t, 100, 30)
	var copied string
	d.m.env.Copy = func(s string) { copied = s }
	d.press("right", "y")
	if copied != cardID(1) {
		t.Errorf("copied %q", copied)
	}
	d.wants("copied " + cardID(1))
}

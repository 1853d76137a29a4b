package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
)

// clickOn clicks the first cell of a text on screen.
func clickOn(t *testing.T, d *driver, text string) {
	t.Helper()
	for y, line := range strings.Split(d.view(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			d.send(tea.MouseMsg{X: kit.Width(before), Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
			return
		}
	}
	t.Fatalf("%q is not on screen:\n%s", text, d.view())
}

func TestClicksSelectAndOpen(t *testing.T) {
	d := live(t, 160, 40)
	clickOn(t, d, "Write the release notes")
	if got := d.selected(); got != cardID(2) {
		t.Fatalf("the cursor is on %q", got)
	}
	clickOn(t, d, "Update dependencies")
	if got := d.selected(); got != cardID(7) {
		t.Fatalf("the cursor is on %q", got)
	}
	clickOn(t, d, "Update dependencies")
	d.wants("What is wrong", "Comments 1")
	clickOn(t, d, "3 Runs")
	d.wants("2 live")
	clickOn(t, d, "Migrate the wiki")
	clickOn(t, d, "Migrate the wiki")
	d.wants("log")
	clickOn(t, d, "6 Daemon")
	clickOn(t, d, "Trim the container")
	d.press("enter")
	d.wants("Trim the container image")
}

func TestWheelMovesLikeTheArrows(t *testing.T) {
	d := live(t, 100, 30)
	d.press("right")
	d.send(tea.MouseMsg{Action: tea.MouseActionPress, Button: tea.MouseButtonWheelDown})
	if got := d.selected(); got != cardID(13) {
		t.Errorf("the cursor is on %q", got)
	}
	d.press("n")
	d.text("half")
	d.send(tea.MouseMsg{Action: tea.MouseActionPress, Button: tea.MouseButtonWheelDown})
	d.text(" typed")
	d.wants("half typed")
}

func TestMouseCanBeGivenAway(t *testing.T) {
	d := live(t, 100, 30)
	d.press("M")
	d.wants("the mouse selects text now")
	d.press("M")
	d.wants("the mouse clicks and scrolls")
}

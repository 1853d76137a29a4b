package tui

import (
	"strings"
	"testing"

	"iterion/daemon/dispatch"
)

func TestPaletteGoesAnywhereAndDoesWhatKeysDo(t *testing.T) {
	d := live(t, 100, 30)
	d.press(":")
	d.text("daemon")
	d.press("enter")
	d.wants("2 of 4 slots")
	d.press(":")
	d.text("release notes")
	d.press("enter")
	d.wants("Write the release notes")
	d.press(":")
	d.text("read the settings")
	d.press("enter") // not a key of this screen
	d.wants("nothing is called that")
	d.press("esc", "6", ":")
	d.text("read the settings")
	d.press("enter")
	asked(t, d, "reload")
	d.press(":")
	d.text("pause or resume")
	d.press("enter") // opens a form once the palette is closed
	d.wants("Reason")
}

func TestHelpIsSearched(t *testing.T) {
	d := live(t, 100, 30)
	d.press("?", "/")
	d.text("quit")
	d.wants("/quit")
	d.wants("Everywhere")
	d.lacks("Keep typing")
	d.press("enter", "esc") // the word goes first
	d.wants("next screen")
	d.press("esc")
	d.lacks("next screen")
}

func TestDaemonScreenKeepsItsEntryOverRefreshes(t *testing.T) {
	d := live(t, 100, 30)
	d.press("6", "down", "down") // past the two that run, on the one that waits
	f := sampleFrame()
	f.Status.Dispatch.Queue = append([]dispatch.Queued{{IssueID: cardID(1), Guard: "slots", Reason: "all are in use"}}, f.Status.Dispatch.Queue...)
	d.frame(f)
	d.press("enter")
	d.wants("Trim the container image")
	d.lacks("Cache the manifest")
}

func TestDaemonScreenOpensRunsAndCancelsThem(t *testing.T) {
	d := live(t, 100, 30)
	d.press("6", "o")
	d.wants("Fix the off-by-one in the pager")
	d.wants("log")
	d.press("esc", "6", "x")
	d.wants("Cancel this run?")
	d.press("y")
	asked(t, d, "cancel "+runID(4))
}

// asked wants what the daemon was asked last.
func asked(t *testing.T, d *driver, want string) {
	t.Helper()
	calls := strings.Split(d.src.calls(), "\n")
	if got := calls[len(calls)-1]; got != want {
		t.Fatalf("asked %q, want %q", got, want)
	}
}

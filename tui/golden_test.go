package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"iterion/tui/kit"
)

var update = flag.Bool("update", false, "write the golden screens anew")

// golden compares a window with the file of its name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	var b strings.Builder
	for line := range strings.SplitSeq(got, "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// scenes are windows worth keeping an eye on.
var scenes = []struct {
	name string
	play func(d *driver)
}{
	{"board", func(d *driver) {}},
	{"board-moved", func(d *driver) { d.press("right", "right", "down") }},
	{"board-filter", func(d *driver) { d.press("/"); d.text("ops") }},
	{"board-help", func(d *driver) { d.press("?") }},
	{"board-help-search", func(d *driver) { d.press("?", "/"); d.text("card") }},
	{"board-palette", func(d *driver) { d.press(":"); d.text("pa") }},
	{"board-marked-grouped", func(d *driver) { d.press("right", "b", "2", " ", " ") }},
	{"board-edit", func(d *driver) { d.press("right", "e") }},
	{"board-move", func(d *driver) { d.press("m") }},
	{"board-create", func(d *driver) { d.press("n"); d.text("Tidy the attic") }},
	{"board-cancel", func(d *driver) { d.press("right", "right", "right", "x") }},
	{"card", func(d *driver) { d.press("right", "right", "enter"); d.until("What is wrong") }},
	{"runs", func(d *driver) { d.press("3") }},
	{"clocks", func(d *driver) { d.press("4", "down") }},
	{"clocks-tick", func(d *driver) { d.press("4", "right", "down", "enter") }},
	{"triggers", func(d *driver) { d.press("5") }},
	{"triggers-effect", func(d *driver) { d.press("5", "right", "enter") }},
	{"daemon", func(d *driver) { d.press("6", "down") }},
	{"run", func(d *driver) { d.src.setLog(runID(5), sampleLog); d.press("3", "down", "enter") }},
}

const sampleLog = "cloning\nok \x1b[32mgreen\x1b[0m\n10%\r20%\rdone\nbytes \xff\xfe\nlast line\n"

func TestGolden(t *testing.T) {
	for _, w := range []int{60, 100, 160} {
		for _, s := range scenes {
			t.Run(fmt.Sprintf("%s-%d", s.name, w), func(t *testing.T) {
				d := live(t, w, 30)
				s.play(d)
				golden(t, fmt.Sprintf("%s-%d", s.name, w), d.view())
			})
		}
	}
}

// looks are the terminals that the program may meet.
var looks = map[string]kit.Look{
	"nocolor": {Profile: termenv.ANSI, Dark: true, Mono: true},
	"ascii":   {Profile: termenv.Ascii, Dark: true, Mono: true, ASCII: true},
	"16":      {Profile: termenv.ANSI, Dark: true},
	"dark":    {Profile: termenv.TrueColor, Dark: true},
	"light":   {Profile: termenv.TrueColor},
}

// TestGoldenLooks keeps the styles, too: cat shows these files as they are on screen.
func TestGoldenLooks(t *testing.T) {
	for name, look := range looks {
		for _, s := range scenes {
			switch s.name {
			case "board", "board-marked-grouped", "card", "daemon", "run":
			default:
				continue
			}
			t.Run(name+"-"+s.name, func(t *testing.T) {
				d := live(t, 100, 30, func(o *Options) {})
				d.m.env.Theme = kit.NewTheme(look)
				s.play(d)
				d.view()
				golden(t, "look-"+name+"-"+s.name, d.m.View())
			})
		}
	}
}

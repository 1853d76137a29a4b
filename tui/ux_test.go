package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/native/run"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

func TestAFormInASmallWindowShowsTheFieldBeingFilledIn(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {60, 12}, {100, 9}, {30, 8}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			d := live(t, size[0], size[1])
			d.press("right", "e")
			for _, name := range []string{"Title", "Body", "Bot", "Input", "Labels", "Priority", "Assignee", "Title"} {
				d.wants("▌" + name)
				d.press("tab")
			}
		})
	}
}

func TestAProblemInASmallWindowIsSeen(t *testing.T) {
	d := live(t, 40, 10)
	d.press("n", "tab", "tab", "tab")
	d.text("no equals sign")
	d.press("ctrl+s")
	d.wants("a card needs a title")
}

func TestALongTitleIsEditedAtItsEnd(t *testing.T) {
	d := live(t, 60, 20)
	c := cardIn(1, "ready", strings.Repeat("long ", 40)+"END", bot("feature-dev"), prio(2))
	d.src.title = c.Title
	d.frame(control.Frame{Cards: []control.Card{c}})
	d.press("right", "e")
	d.wants("long END")
}

func TestALongBodyIsEditedFromItsTop(t *testing.T) {
	d := live(t, 60, 14)
	d.src.body = numbered(500)
	d.press("right", "e", "tab")
	d.text("new ")
	d.wants("new line 0", "line 3 ")
	d.press("down", "down")
	d.text("x")
	d.wants("new line 0", "linex 2")
}

// manyBots makes more bots known than anybody wants to step through.
func manyBots(d *driver) {
	var bots []control.BotInfo
	for i := range 30 {
		bots = append(bots, control.BotInfo{Slug: fmt.Sprintf("bot-%d", i), Description: "number " + fmt.Sprint(i), Enabled: true})
	}
	d.send(screen.BotsKnown{Bots: bots})
}

func TestOneOfManyBotsIsFoundByName(t *testing.T) {
	d := live(t, 100, 30)
	manyBots(d)
	d.press("right", "a")
	d.text("number 27")
	d.press("enter")
	asked(t, d, `update `+cardID(1)+` {"bot":"bot-27","by":"tester"}`)
	d.press("e", "tab", "tab")
	d.text("bot-19")
	d.wants("‹ bot-19 ›", "21 of 32")
	d.press("ctrl+s")
	asked(t, d, `update `+cardID(1)+` {"bot":"bot-19","by":"tester"}`)
}

func TestTheCursorGoesWhereTheFilterFinds(t *testing.T) {
	d := live(t, 160, 30)
	d.press("right")
	was := d.selected()
	d.press("/")
	d.text("licence")
	if got := d.selected(); got != cardID(6) {
		t.Fatalf("the cursor is on %s", got)
	}
	d.press("esc") // giving up comes back
	if got := d.selected(); got != was {
		t.Fatalf("the cursor is on %s, not back on %s", got, was)
	}
	d.press("/")
	d.text("licence")
	d.press("enter", "m") // at once: the person has moved the cursor, nobody else
	d.wants("Move 06060606 to")
	d.press("esc", "esc")
	if got := d.selected(); got != cardID(6) {
		t.Fatalf("what was found is lost with the filter: %s", got)
	}
}

func TestNoVerbIsForACardThatTheFilterHides(t *testing.T) {
	d := live(t, 160, 30)
	d.press("right", "/")
	d.text("no such card anywhere")
	d.press("enter", ">", "m", "x", "enter")
	if got := d.src.calls(); got != "" || d.selected() != "" {
		t.Errorf("asked %q for %q", got, d.selected())
	}
	d.lacks("Move ", "Cancel this run?")
}

func TestMarksThatTheFilterHidesAreTold(t *testing.T) {
	d := live(t, 100, 30)
	d.press("right", " ", " ", "/")
	d.text("licence")
	d.wants("2 marked, 2 filtered out")
}

// logAt opens the log of run 4 with so many rows of so many cells.
func logAt(t *testing.T, w, h, rows, cells int) *driver {
	d := live(t, w, h)
	d.src.ended = true
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "row %d %s end-%d\n", i, strings.Repeat("0123456789", cells/10), i)
	}
	d.src.setLog(runID(4), b.String())
	d.press("3", "enter")
	return d
}

func TestWrappedRowsAreScrolledByLines(t *testing.T) {
	d := logAt(t, 40, 16, 6, 300) // each row takes more lines than half the window
	d.press("w")
	d.wants("end-5")
	d.lacks("row 4 ")
	d.press("up")
	d.lacks("end-5") // one line, not one row
	d.press("g")
	d.wants("row 0 ")
	for range 4 * 6 {
		d.press("down")
	}
	d.lacks("row 0 ")
	d.press("G")
	d.wants("end-5")
	for i := 5; i >= 0; i-- { // everything is reached on the way up
		for n := 0; !strings.Contains(d.view(), fmt.Sprintf("row %d ", i)); n++ {
			if n > 60 {
				t.Fatalf("row %d is never seen", i)
			}
			d.press("up")
		}
	}
}

func TestAMatchIsBroughtIntoSight(t *testing.T) {
	for _, wrap := range []bool{false, true} {
		t.Run(fmt.Sprintf("wrap=%v", wrap), func(t *testing.T) {
			d := logAt(t, 60, 20, 40, 400)
			if wrap {
				d.press("w")
			}
			d.press("g", "/")
			d.text("END-20")
			d.press("enter")
			d.wants("end-20")
			d.press("n")
			d.wants("no further match; N looks the other way")
			d.press("/", "enter") // the last search again
			d.press("up", "down")
			d.wants("end-20")
		})
	}
}

func TestTheLogScrollsSidewaysOnlyWhereThereIsSomething(t *testing.T) {
	d := logAt(t, 60, 20, 3, 50)
	for range 10 {
		d.press("right")
	}
	d.wants("end-0")
	for range 2 {
		d.press("left")
	}
	d.wants("row 0")
}

func TestASearchBeginsWithWhatIsInSight(t *testing.T) {
	d := logAt(t, 60, 20, 100, 20)
	d.press("g")
	for range 30 {
		d.press("down")
	}
	d.press("/")
	d.text("row")
	d.press("enter")
	d.wants("▌row 43", "row 37", "row 49")
}

func TestTheBeginningOfALongLogIsReached(t *testing.T) {
	d := live(t, 100, 30)
	d.src.setLog(runID(4), bigLog(60_000))
	d.press("3", "enter")
	d.until("line 59999")
	d.press("g")
	d.until("line 0 x")
	d.wants("G goes to the end")
	d.press("down", "down")
	d.lacks("line 1 x")
	d.press("G")
	d.until("line 59999")
}

// TestRowsThatComeAndGoAtTheTopKeepTheMatch scrolls up until an earlier piece is read.
func TestRowsThatComeAndGoAtTheTopKeepTheMatch(t *testing.T) {
	d := live(t, 100, 30)
	d.src.setLog(runID(4), bigLog(10_000))
	d.press("3", "enter")
	d.until("line 9999")
	d.press("/")
	d.text("line 9000 ")
	d.press("enter")
	d.wants("▌line 9000 ")
	for range 100 {
		d.press("pgup")
	}
	for n := 0; !strings.Contains(d.view(), "line 9000 "); n++ {
		if n > 200 {
			t.Fatal("the match is never seen again")
		}
		d.press("pgdown")
	}
	d.wants("▌line 9000 ")
}

func TestPaletteAnswersAtOnceAmongTenThousandCards(t *testing.T) {
	d := live(t, 100, 30)
	d.frame(manyCards(10_000))
	d.press(":")
	d.text("card 9999")
	d.wants("▌ Card 9999 with a title")
	n := testing.AllocsPerRun(3, func() {
		d.m.Update(keyMsg("9"))
		d.m.Update(tea.KeyMsg{Type: tea.KeyBackspace})
	})
	if n > 20_000 {
		t.Errorf("two keys allocate %v times", n)
	}
}

// TestALogThatGrowsQuicklyKeepsWhatIsRead holds a place while megabytes arrive and the
// oldest rows are let go of.
func TestALogThatGrowsQuicklyKeepsWhatIsRead(t *testing.T) {
	d := live(t, 100, 30)
	text := bigLog(2000)
	d.src.setLog(runID(4), text)
	d.press("3", "enter")
	d.until("line 1999")
	d.press("up", "up", "up")
	d.wants("held, f follows", "line 1990 ")
	d.src.setLog(runID(4), bigLog(150_000))
	d.until("log 15 MiB")
	d.wants("line 1990 ")
	d.press("f")
	d.until("line 149999")
}

func TestARunWithoutAQuestionSaysSo(t *testing.T) {
	d := live(t, 100, 30)
	d.frame(control.Frame{Runs: []run.Record{runOf(4, 4, "fix-bug", run.Running)}})
	d.press("3", "A")
	d.wants("this run asks nothing")
}

func TestASCIILooksAreASCII(t *testing.T) {
	d := live(t, 100, 30)
	l := plainLook()
	l.ASCII = true
	d.m.env.Theme = kit.NewTheme(l)
	for _, s := range scenes {
		if s.name == "board-create" {
			continue
		}
		d.m.dialog, d.m.help = nil, nil
		s.play(d)
		for _, r := range strings.ReplaceAll(strings.ReplaceAll(d.view(), "日本語のタイトル 🎉 déjà vu", ""), "日本語のタイトル", "") {
			if r > 0x7e && !strings.ContainsRune("日本語のタイトル🎉éà", r) {
				t.Fatalf("%s draws %q:\n%s", s.name, r, d.view())
			}
		}
		d.press("esc", "esc", "1", "esc")
	}
}

func TestAnEditLeavesAloneWhatItsFieldsCannotHold(t *testing.T) {
	d := live(t, 100, 40)
	d.src.title, d.src.body = "a\ttab and \x1b[31mred", "\tindented\r\nby a tab"
	d.press("right", "e", "tab", "tab", "tab", "tab")
	d.text(", new")
	d.press("ctrl+s")
	asked(t, d, `update `+cardID(1)+` {"add_labels":["new"],"by":"tester"}`)
}

// Keys that come in one piece, as over a slow line, are keys all the same.
func TestKeysPressedFasterThanTheyAreReadAllCount(t *testing.T) {
	d := live(t, 100, 30)
	d.press("right")
	d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jj/licence")})
	d.wants("/licence", "1 of 14")
	d.press("esc")
	d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q"), Paste: true})
	if d.quit {
		t.Error("what was pasted has ended the screen")
	}
}

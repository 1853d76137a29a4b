package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/run"
	"iterion/tui/screen"
)

func TestFirstPaintNeedsNoData(t *testing.T) {
	d := drive(t, 80, 20)
	d.wants("connecting")
	d.send(connected{d.src})
	d.wants("loading")
}

func TestQuitAsksOnlyForADaemonOfOursWithRunningBots(t *testing.T) {
	d := live(t, 100, 30)
	d.press("q")
	if !d.quit {
		t.Fatal("q asked although the daemon is not ours")
	}
	d = live(t, 100, 30, func(o *Options) { o.OwnsDaemon = func() bool { return true } })
	d.press("q")
	d.wants("2 bots are running")
	d.press("enter") // the cursor is on "stay"
	if d.quit {
		t.Fatal("the default is to leave")
	}
	d.press("q", "down", "down", "enter")
	if !d.quit || !d.m.cancelRuns {
		t.Fatalf("quit=%v cancelRuns=%v", d.quit, d.m.cancelRuns)
	}
}

func TestMoveToTheNeighbourColumnFollowsTheCard(t *testing.T) {
	d := live(t, 160, 30)
	d.press(">")
	if got := d.src.calls(); got != "move "+cardID(14)+" to ready reopen=false" {
		t.Fatalf("asked: %s", got)
	}
	moved := sampleFrame().Cards[13]
	moved.State, moved.StateAt = "ready", noon
	d.frame(control.Frame{Cards: []control.Card{moved}})
	d.press("<")
	if got := d.src.calls(); !strings.HasSuffix(got, "move "+cardID(14)+" to backlog reopen=false") {
		t.Fatalf("the cursor did not follow the card: %s", got)
	}
}

func TestLeavingATerminalColumnAsksAndReopens(t *testing.T) {
	d := live(t, 160, 30)
	for range 7 {
		d.press("right")
	}
	d.press("m", "3")
	d.wants("Reopen this card?")
	d.press("enter")
	if got := d.src.calls(); got != "" {
		t.Fatalf("enter said yes: %s", got)
	}
	d.press("m", "3", "y")
	if got := d.src.calls(); got != "move "+cardID(10)+" to ready reopen=true" {
		t.Fatalf("asked: %s", got)
	}
}

func TestCreateKeepsTheTextWhenTheDaemonRefuses(t *testing.T) {
	d := live(t, 100, 30)
	d.press("n", "ctrl+s")
	d.wants("a card needs a title")
	d.text("Tidy up")
	d.src.err = errors.New("the store is read-only")
	d.press("ctrl+s")
	d.wants("Tidy up", "the store is read-only")
	d.src.err = nil
	d.press("ctrl+s")
	d.lacks("New card")
	if got := d.src.calls(); !strings.HasSuffix(got, `create "Tidy up" "" bot="" state="backlog" by=tester`) {
		t.Fatalf("asked: %s", got)
	}
	d.press("n")
	d.lacks("Tidy up")
}

func TestCreateChoosesBotAndColumn(t *testing.T) {
	d := live(t, 100, 30)
	d.press("n")
	d.text("Greet")
	d.press("enter")
	d.text("line one")
	d.press("enter")
	d.text("line two")
	d.press("tab", "right", "tab")
	d.text("title")
	d.press("tab", "right", "enter")
	d.wants("the input is no name=value")
	d.press("up")
	d.text("=for all")
	d.press("ctrl+s")
	if got := d.src.calls(); got != `create "Greet" "line one\nline two" bot="hello" state="ready" by=tester args=map[title:for all]` {
		t.Fatalf("asked: %s", got)
	}
}

func TestHalfTypedTextSurvivesClosing(t *testing.T) {
	d := live(t, 100, 30)
	d.press("n")
	d.text("Half a tho")
	d.press("esc")
	d.lacks("Half a tho")
	d.press("n")
	d.text("ught")
	d.wants("Half a thought")
}

// A form that keeps nothing does not promise to, and one that was closed blank
// knows the bots that have come since.
func TestFormsPromiseWhatTheyKeep(t *testing.T) {
	d := live(t, 100, 30)
	d.press("p")
	d.wants("enter save", "esc back")
	d.lacks("keep for later")
	d.press("esc", "n")
	d.wants("keep for later")
	d.press("esc")
	d.send(screen.BotsKnown{Bots: []control.BotInfo{{Slug: "newcomer", Enabled: true}}})
	d.press("n", "tab", "tab", "right")
	d.wants("newcomer")
}

func TestCancelDefaultsToNo(t *testing.T) {
	d := live(t, 100, 30)
	d.press("right", "right", "right", "x")
	d.wants("Cancel this run?")
	d.press("enter", "x", "esc")
	if got := d.src.calls(); got != "" {
		t.Fatalf("asked: %s", got)
	}
	d.press("x", "y")
	if got := d.src.calls(); got != "cancel "+runID(5) {
		t.Fatalf("asked: %s", got)
	}
}

func TestPauseTakesAReasonAndShows(t *testing.T) {
	d := live(t, 100, 30)
	d.press("p")
	d.text("lunch")
	d.press("enter")
	st := sampleStatus()
	st.Dispatch.Desired = dispatch.Desired{Desired: "paused", Reason: "lunch", By: "tester"}
	d.frame(control.Frame{Status: st})
	d.wants("dispatch is paused by tester: lunch", "◐ paused")
	d.press("p")
	if got := d.src.calls(); got != "pause \"lunch\" by tester\nunpause" {
		t.Fatalf("asked: %s", got)
	}
}

func TestCommentAndClearLastRun(t *testing.T) {
	d := live(t, 160, 30)
	d.press("right", "right", "right", "c")
	d.text("looks fine")
	d.press("ctrl+s", "L", "y")
	if got := d.src.calls(); got != "comment "+cardID(5)+" \"looks fine\" by tester\nclear "+cardID(5) {
		t.Fatalf("asked: %s", got)
	}
}

func TestReadOnlyRefusesEveryVerb(t *testing.T) {
	d := live(t, 160, 30, func(o *Options) { o.ReadOnly = true })
	d.press("right", "right", "right")
	for _, k := range []string{"n", "m", "<", ">", "c", "x", "L", "p"} {
		d.press(k)
		d.wants("read-only: this screen was started with --read-only")
		d.press("esc")
	}
	d.press("enter")
	for _, k := range []string{"m", "c", "x", "L"} {
		d.press(k)
		d.wants("read-only: this")
	}
	if got := d.src.calls(); got != "" {
		t.Fatalf("asked: %s", got)
	}
	d.press("j")
	d.wants("read-only")
}

func TestErrorsOfVerbsAreTheDaemonsWords(t *testing.T) {
	d := live(t, 160, 30)
	d.src.err = errors.New("column ready is \x1b[31mfull")
	d.press(">")
	d.wants("column ready is ␛[31mfull")
}

func TestLosingTheDaemonKeepsTheBoardAndSaysSo(t *testing.T) {
	d := live(t, 100, 30)
	d.send(lost{err: errors.New("connection refused"), retry: noon.Add(3 * time.Second)})
	d.wants("the daemon is gone (connection refused). Waiting for it", "Write the release notes")
	d.send(lost{err: control.ErrNoDaemon, retry: noon.Add(3 * time.Second)})
	d.wants("the daemon is gone. Waiting for it")
	d.press("m")
	d.wants("no daemon is connected")
	d.press("r")
	d.send(connected{d.src})
	d.send(framed{sampleFrame()})
	d.lacks("the daemon is gone")
}

func TestALostDaemonIsOfferedToBeStarted(t *testing.T) {
	d := live(t, 100, 30, func(o *Options) { o.Starts = true })
	d.send(lost{err: control.ErrNoDaemon})
	d.wants("the daemon is gone. Press r to start one.")
}

// What went wrong can be read to its end.
func TestLongNewsTakesMoreRows(t *testing.T) {
	d := live(t, 60, 20)
	d.src.err = errors.New("dispatch stays paused: the store /home/somebody/projects/website/.iterion was never trusted; `iterion trust` lets its bots run")
	d.press(">")
	d.wants("lets its bots run")
	if rows := strings.Count(d.m.View(), "\n") + 1; rows != 20 {
		t.Errorf("the window has %d rows", rows)
	}
	d.press("j")
	d.lacks("lets its bots run")
}

func TestBannersOfTheDaemon(t *testing.T) {
	d := live(t, 120, 30)
	st := sampleStatus()
	st.Trusted, st.Watcher = false, control.Watcher{Mode: "polling", Reason: "inotify watches are used up"}
	d.frame(control.Frame{Status: st, Broken: []control.Broken{{Path: "issues/x.json", Error: "bad JSON"}}})
	d.wants("iterion trust", "inotify watches are used up", "issues/x.json: bad JSON")
}

func TestEmptyFolderOffersABoard(t *testing.T) {
	made := 0
	d := drive(t, 80, 24, func(o *Options) { o.Init = func(ctx context.Context) error { made++; return nil } })
	d.send(noStore{})
	d.wants("no board in this folder", "make a board with a few example cards")
	d.press("y")
	if made != 1 {
		t.Fatalf("Init was called %d times", made)
	}
	d.send(connected{d.src})
	d.send(framed{sampleFrame()})
	d.wants("Backlog")
}

func TestFilterIsLiveAndEscClearsIt(t *testing.T) {
	d := live(t, 160, 30)
	d.press("/")
	d.text("OPS q")
	d.wants("0 of 14")
	d.send(tea.KeyMsg{Type: tea.KeyBackspace})
	d.send(tea.KeyMsg{Type: tea.KeyBackspace})
	d.wants("2 of 14", "Rotate the staging keys")
	d.lacks("Update dependencies")
	d.press("enter", "esc")
	d.wants("Update dependencies")
}

func TestCardGoneUnderTheCursorHoldsVerbsForAMoment(t *testing.T) {
	d := live(t, 160, 30)
	d.press("right", "down")
	gone := d.selected()
	d.frame(control.Frame{Gone: []string{gone}})
	d.press(">")
	d.wants("has just changed")
	if got := d.src.calls(); got != "" {
		t.Fatalf("asked: %s", got)
	}
	d.now = d.now.Add(time.Second)
	d.press(">")
	if got := d.src.calls(); !strings.HasPrefix(got, "move ") || strings.Contains(got, gone) {
		t.Fatalf("asked: %s", got)
	}
}

// Until the person has moved the cursor it goes where cards are; that too is no
// moment for a verb, and a column where nobody has been is met at its top.
func TestCursorThatFindsItsColumnHoldsVerbsForAMoment(t *testing.T) {
	d := live(t, 160, 30)
	if got := d.selected(); got != cardID(14) {
		t.Fatalf("the cursor starts on %s", got)
	}
	d.frame(control.Frame{Cards: []control.Card{cardIn(14, "review", "it went on")}}) // its column is empty now
	if got := d.selected(); got != cardID(1) {
		t.Fatalf("the cursor is on %s, not at the top of the first column with cards", got)
	}
	d.press(">")
	d.wants("has just changed")
	if got := d.src.calls(); got != "" {
		t.Fatalf("asked: %s", got)
	}
}

// A column out of sight is announced also where the last one in sight is folded.
func TestColumnsOutOfSightAreCounted(t *testing.T) {
	d := drive(t, 100, 20)
	d.send(connected{d.src})
	d.send(framed{control.Frame{Full: true, Schema: columns(), Status: sampleStatus(), Cards: []control.Card{
		cardIn(1, "ready", "one"), cardIn(2, "in_progress", "two"), cardIn(3, "review", "three"), cardIn(4, "blocked", "four"),
	}}})
	d.lacks("Blocked")
	d.wants(" 1›")
	d.press("right", "right", "right")
	d.wants("Blocked 1", "‹")
}

func TestLogFollowsUntilScrolledAndAgainAtTheEnd(t *testing.T) {
	d := live(t, 100, 14)
	text := numbered(100)
	d.src.setLog(runID(5), text)
	d.press("3", "down", "enter")
	d.wants("line 99", "following")
	d.src.setLog(runID(5), text+"one more\n")
	d.until("one more")
	d.press("up")
	d.lacks("one more")
	d.src.setLog(runID(5), text+"one more\ntwo more\n")
	d.until("log 908 B")
	d.lacks("one more", "two more")
	d.press("G")
	d.wants("two more", "following")
	d.press("g")
	d.wants("line 0 ")
	d.press("/")
	d.text("LINE 42")
	d.press("enter")
	d.wants("▌line 42")
	d.press("esc")
	d.wants("2 live")
}

func TestAHugeLogIsReadFromItsEndAndBackwardsOnDemand(t *testing.T) {
	d := live(t, 100, 14)
	d.src.ended = true
	d.src.setLog(runID(7), numbered(200_000))
	d.press("3", "down", "down", "enter")
	d.wants("line 199999", "complete")
	sent := d.src.sent
	if sent > 1<<20 {
		t.Fatalf("%d bytes were read to show the end", sent)
	}
	d.press("g")
	if d.src.sent <= sent {
		t.Fatal("reaching the top of what is held brought no earlier part")
	}
}

func TestAFinishedRunWithoutOutput(t *testing.T) {
	d := live(t, 100, 14)
	d.src.ended = true
	d.press("3", "down", "down", "enter")
	d.wants("the log is empty", "complete")
}

func TestRunsThatFinishKeepTheCursor(t *testing.T) {
	d := live(t, 100, 30)
	d.press("3", "down")
	r := runOf(4, 4, "fix-bug", run.Finished)
	d.frame(control.Frame{Runs: []run.Record{r}})
	d.press("x")
	d.wants("Cancel this run?", "Port the parser")
}

func TestCardShowsBodyWhyAndComments(t *testing.T) {
	d := live(t, 120, 40)
	d.press("right", "enter")
	d.wants("Cache the manifest index", "What is wrong", "no bot is called ops", "iterion bot list", "Seen on a 40x10 window too.")
	d.press("esc")
	d.wants("Backlog")
}

func TestABodyOfAMegabyteIsDrawnByTheScreenful(t *testing.T) {
	d := live(t, 120, 40)
	d.src.body = strings.Repeat("word \x1b[2J **bold** 日本 "+strings.Repeat("x", 50)+"\n", 12_000) + "THE END\n"
	d.press("right", "enter")
	d.until("word ␛[2J bold 日本")
	start := time.Now()
	for range 50 {
		d.press("pgdown")
		d.view()
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Fatalf("50 pages took %v", took)
	}
	d.press("G") // what came first was only its head
	for deadline := time.After(10 * time.Second); !strings.Contains(d.view(), "THE END"); d.press("G") {
		select {
		case msg := <-d.timers:
			d.take(msg)
		case <-deadline:
			t.Fatalf("the rest of the body never comes:\n%s", d.view())
		}
	}
}

func TestSuspendWorksEverywhere(t *testing.T) {
	d := live(t, 100, 30)
	d.press("n")
	_, cmd := d.m.Update(keyMsg("ctrl+z"))
	if _, ok := first(cmd).(tea.SuspendMsg); !ok {
		t.Fatal("ctrl+z in a dialog does not suspend")
	}
}

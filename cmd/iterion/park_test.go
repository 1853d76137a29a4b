package main

import (
	"os"
	"strings"
	"testing"

	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

// askingBot asks once; each start of it leaves a line.
const askingBot = `name: asks
run:
  script: |
    echo "resume=$ITERION_RESUME" >> "$COUNT"
    if [ "$ITERION_RESUME" = 1 ]; then exit 0; fi
    iterion report ask --question 'Ship it?' --choices yes,no
  env: {COUNT: "PATH"}
`

// A run that asks, with the daemon killed at some step of its parking or of its
// going on: the card is parked once, goes on once, and ends in review with one run.
func TestParkedCardOutlivesDaemonsKilledAtAnyStep(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED in short mode: it kills real daemons")
	}
	parking := []string{dispatch.FaultSettling, dispatch.FaultFiled}
	goingOn := []string{dispatch.FaultRecorded, dispatch.FaultPrepared, dispatch.FaultMoved, dispatch.FaultLaunched, dispatch.FaultReleased}
	for _, step := range parking {
		t.Run("parking, "+step, func(t *testing.T) { parkedStory(t, step, "") })
	}
	for _, step := range goingOn {
		t.Run("going on, "+step, func(t *testing.T) { parkedStory(t, "", step) })
	}
}

func parkedStory(t *testing.T, parking, goingOn string) {
	w := newWorld(t)
	count := w.path("count")
	w.write("bots/asks/manifest.yaml", strings.ReplaceAll(askingBot, "PATH", count))
	card := w.card("Ship", "asks")
	w.untilKilled(parking)
	d := w.daemon()
	w.eventually("the card is parked", func() bool {
		is := w.issue(card)
		return is.State == board.StateAwaitingInput && is.AwaitingInput && is.Claim != ""
	})
	if out := w.ok("daemon", "status"); !strings.Contains(out, "asks: Ship it?") || !strings.Contains(out, "0 of 4") {
		t.Errorf("status says\n%s", out)
	}
	d.kill9()
	runs := w.runs()
	if len(runs) != 1 || runs[0].Status != run.PausedHuman {
		t.Fatalf("runs %+v", runs)
	}
	w.ok("runs", "answer", runs[0].ID, "yes", "--no-resume")
	w.untilKilled(goingOn)
	w.daemon()
	w.eventually("the card is in review", func() bool {
		is := w.issue(card)
		return is.State == board.StateReview && is.Claim == "" && !is.AwaitingInput
	})
	w.settled(1)
	if data, _ := os.ReadFile(count); string(data) != "resume=0\nresume=1\n" {
		t.Errorf("the bot was started as %q", data)
	}
}

// write writes a file below the working folder.
func (w *world) write(name, text string) {
	w.t.Helper()
	path := w.path(name)
	if err := os.MkdirAll(path[:strings.LastIndex(path, "/")], 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// untilKilled runs a daemon until it dies at a step; without one, none.
func (w *world) untilKilled(step string) {
	w.t.Helper()
	if step == "" {
		return
	}
	once := w.path("killed-at-" + step)
	cmd := w.command("daemon")
	cmd.Env = append(cmd.Env, "ITERION_TEST_FAULT=daemon."+step+"="+once)
	w.launch(cmd).wait()
	if w.lines(once) != 1 {
		w.t.Fatalf("the daemon ended before it came to step %s", step)
	}
}

package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

const shortLease = 2 * time.Second

// suspension is a world with short leases and watchdogs that are on, and a daemon
// that was given a card and then suspended beyond its lease. Another one, with the
// store's singletons, has no bots.
type suspension struct {
	*world
	late  *proc // the suspended one
	other *proc
	card  string
}

func suspend(t *testing.T, hooks string, ready func(s *suspension) bool) *suspension {
	s := &suspension{world: newWorld(t)}
	s.env = []string{"ITERION_TEST_LEASE=" + shortLease.String(), "ITERION_BOARD_CLAIM_REAPER=on"}
	s.write("bots/slow/manifest.yaml", strings.ReplaceAll(slowBot, "DIR", s.dir))
	s.write("other.yaml", "workspace: {root: other}\nbots: {paths: [none]}\n")
	s.write("late.yaml", "workspace: {root: late}\npolling: {interval_ms: 200}\n"+strings.ReplaceAll(hooks, "DIR", s.dir))
	s.write("able.yaml", "workspace: {root: able}\npolling: {interval_ms: 200}\n")
	s.card = s.world.card("slow work", "slow")
	s.other = s.daemon("other.yaml")
	s.late = s.start("daemon", "late.yaml")
	s.eventually("the card is worked", func() bool { return ready(s) })
	sendTo(s.world, s.late.cmd, syscall.SIGSTOP)
	s.eventually("its claim has expired", func() bool { return time.Now().After(s.issue(s.card).ClaimLeaseUntil) })
	return s
}

// replace puts a daemon with another config in the place of the other one. Its
// watchdog sweeps as soon as it is ready.
func (s *suspension) replace(config string) {
	s.other.kill9()
	s.other = s.daemon(config)
}

// wake lets the suspended daemon go on, and waits until it knows that it lost.
func (s *suspension) wake() {
	sendTo(s.world, s.late.cmd, syscall.SIGCONT)
	claims := s.path(".iterion", "dispatcher", "claims.json")
	s.eventually("the late daemon has let go", func() bool {
		data, err := os.ReadFile(claims)
		return err == nil && !strings.Contains(string(data), s.path("late"))
	})
}

// slowBot runs until it is let go, and notes its starts.
const slowBot = `name: slow
run:
  script: |
    echo "$ITERION_RUN_ID" >>DIR/begun
    while [ ! -e DIR/go ]; do sleep 0.05; done
    echo "$ITERION_RUN_ID" >>DIR/ended
`

// A daemon is suspended beyond its lease while its bot works on. As long as the run
// lives the watchdog of another daemon keeps away, and nobody starts the card again.
// Then the card is filed for the one that sleeps, and when it wakes it is late.
func TestI2_SuspendedDaemonIsLateForACardThatTheWatchdogFiled(t *testing.T) {
	s := suspend(t, "", func(s *suspension) bool { return s.lines(s.path("begun")) == 1 })
	s.replace("able.yaml")
	s.replace("able.yaml") // two sweeps
	if is := s.issue(s.card); !strings.HasPrefix(is.Claim, "dispatcher:") || is.State != board.StateInProgress {
		t.Fatalf("with a live run the card is in %s, claimed by %q", is.State, is.Claim)
	}
	s.write("go", "")
	s.eventually("the run has ended", func() bool { return s.runs()[0].Status == run.Finished })
	s.replace("able.yaml")
	s.eventually("the card is filed", func() bool { return s.issue(s.card).Claim == "" })
	before := s.issue(s.card)
	if before.State != board.StateReview || before.StateReason != board.ReasonRunFinished || before.ClaimEpoch < 2 {
		t.Fatalf("filed in %s (%s), epoch %d", before.State, before.StateReason, before.ClaimEpoch)
	}
	s.wake()
	if after := s.issue(s.card); !after.UpdatedAt.Equal(before.UpdatedAt) {
		t.Errorf("who came late has written to the card: %+v", after)
	}
	s.settled(1)
	if n := s.lines(s.path("begun")); n != 1 {
		t.Errorf("the bot was started %d times", n)
	}
}

// A daemon is suspended between its claim and its launch. Others get the card
// released, but start no run as long as the one that sleeps may launch its own.
func TestI3_SuspendedDaemonDoesNotLaunchBesideAnother(t *testing.T) {
	s := suspend(t, "hooks: {before_run: {script: \"touch DIR/hook; while [ ! -e DIR/launch ]; do sleep 0.05; done\"}}\n",
		func(s *suspension) bool { _, err := os.Stat(s.path("hook")); return err == nil })
	if n := len(s.runs()); n != 0 {
		t.Fatalf("%d runs before the launch", n)
	}
	s.write("go", "")
	s.eventually("its claim is released", func() bool { s.replace("able.yaml"); return s.issue(s.card).Claim == "" })
	s.eventually("the card waits for it", func() bool {
		return strings.Contains(s.ok("why", s.card), "is being started by the daemon of workspace root "+s.path("late"))
	})
	s.write("launch", "")
	s.wake()
	s.eventually("the card is in review", func() bool { return s.issue(s.card).State == board.StateReview && s.issue(s.card).Claim == "" })
	s.settled(1)
	if n := s.lines(s.path("begun")); n != 1 {
		t.Errorf("the bot was started %d times", n)
	}
	if errs := fmt.Sprint(s.late.errs); !strings.Contains(errs, "was lost to somebody else") {
		t.Errorf("who came late says nothing of it: %s", errs)
	}
}

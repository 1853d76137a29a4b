package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// Twenty cards commit on branches of their own, four at a time: none is lost,
// none is done twice.
func TestTwentyCardsCommitOnBranchesOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	w.git("init", "-q", "-b", "main")
	w.git("commit", "-q", "--allow-empty", "-m", "start")
	w.git("config", "gc.auto", "0")
	w.git("config", "receive.autogc", "false")
	repo := w.dir
	setup := strings.Join(gitEnv(w.home), " ")
	// Cards push while others clone: a clone by hard links trips over the files
	// that a push has on their way, one that asks the repository does not.
	for i := range 20 {
		w.shell(fmt.Sprintf("card %d", i), fmt.Sprintf(
			`export %s; git clone -q --no-local %q . && git checkout -q -b card-%d && echo %d >file && git add file && git commit -q -m "card %d" && git push -q origin card-%d`,
			setup, repo, i, i, i, i))
	}
	w.ok("daemon", "--until-idle")
	w.settled(20)
	for i := range 20 {
		if got := w.git("log", "--format=%s", fmt.Sprintf("main..card-%d", i)); got != fmt.Sprintf("card %d", i) {
			t.Errorf("branch card-%d holds %q", i, got)
		}
	}
}

// sleepers files n cards whose bots note that they ran, and go on until the
// returned file exists. It returns the file of notes too.
func sleepers(w *world, n int) (ran, goOn string) {
	ran, goOn = w.path("ran"), w.path("go-on")
	for i := range n {
		w.shell(fmt.Sprintf("sleeper %d", i), fmt.Sprintf(
			`echo "$ITERION_ISSUE_ID" >>%q; while ! [ -e %q ]; do sleep 0.05; done; echo done`, ran, goOn))
	}
	return ran, goOn
}

func release(t *testing.T, goOn string) {
	t.Helper()
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A daemon dies while four bots run: they run on, the next one settles them.
func TestI3_KilledDaemonLeavesItsBotsToTheNext(t *testing.T) {
	w := newWorld(t)
	ran, goOn := sleepers(w, 4)
	d := w.daemon()
	w.eventually("four bots run", func() bool { return w.lines(ran) == 4 })
	d.kill9()

	next := w.daemon()
	w.eventually("the next daemon has them", func() bool {
		return strings.Count(w.ok("daemon", "status", "--json"), `"phase": "running"`) == 4 ||
			strings.Count(w.ok("daemon", "status", "--json"), `"phase":"running"`) == 4
	})
	release(t, goOn)
	w.eventually("all cards are in review", func() bool { return w.inState(board.StateReview) == 4 })
	next.term()
	if n := w.lines(ran); n != 4 {
		t.Errorf("%d bots ran, want 4", n)
	}
	w.settled(4)
}

// The bots end while no daemon is there: the next one settles what they did.
func TestI6_RunsThatEndedWithoutADaemonAreSettled(t *testing.T) {
	w := newWorld(t)
	ran, goOn := sleepers(w, 4)
	d := w.daemon()
	w.eventually("four bots run", func() bool { return w.lines(ran) == 4 })
	d.kill9()
	release(t, goOn)
	w.eventually("the runs have ended", func() bool {
		for _, r := range w.runs() {
			if r.Status != run.Finished {
				return false
			}
		}
		return true
	})
	w.ok("daemon", "--until-idle")
	if n := w.lines(ran); n != 4 {
		t.Errorf("%d bots ran, want 4", n)
	}
	w.settled(4)
}

// A daemon dies in the instant between the claim and the launch, and at the
// other steps that matter: no card is stuck, no bot runs twice.
func TestI3_DaemonKilledBetweenClaimAndLaunch(t *testing.T) {
	for _, step := range []string{"claimed", "launched", "settling"} {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t)
			ran := w.path("ran")
			for i := range 4 {
				w.shell(fmt.Sprintf("card %d", i), fmt.Sprintf(`echo "$ITERION_ISSUE_ID" >>%q`, ran))
			}
			w.env = append(w.env, "ITERION_TEST_FAULT=daemon."+step+"="+w.path("fault"))
			if d := w.start("daemon"); d.wait() != -1 {
				t.Fatalf("the daemon was not killed: %s", d.errs)
			}
			w.ok("daemon", "--until-idle")
			if n := w.lines(ran); n != 4 {
				t.Errorf("%d bots ran, want 4", n)
			}
			w.settledButLost(4)
		})
	}
}

// A supervisor is killed before it started its bot: the attempt does not count,
// the card is tried again and the bot runs once.
func TestSupervisorKilledBeforeItsBot(t *testing.T) {
	w := newWorld(t)
	ran := w.path("ran")
	id := w.shell("card", fmt.Sprintf(`echo once >>%q`, ran))
	w.env = append(w.env, "ITERION_TEST_FAULT=supervise="+w.path("fault"))
	w.ok("daemon", "--until-idle")
	if n := w.lines(ran); n != 1 {
		t.Errorf("the bot ran %d times, want 1", n)
	}
	if got := w.issue(id); got.State != board.StateReview || got.Claim != "" {
		t.Errorf("the card is in %s, claim %q", got.State, got.Claim)
	}
	runs := w.runs()
	if len(runs) != 2 {
		t.Fatalf("%d runs, want the lost one and the good one", len(runs))
	}
	lost, good := runs[1], runs[0] // newest first
	if lost.Status != run.Failed || lost.FailureCode != run.CodeSupervisorLost {
		t.Errorf("the lost run is %s, code %s", lost.Status, lost.FailureCode)
	}
	if good.Status != run.Finished || good.Attempt != 1 {
		t.Errorf("the good run is %s, attempt %d: the lost one must not count", good.Status, good.Attempt)
	}
}

// One daemon a workspace; a second one names the first and touches nothing.
func TestSecondDaemonNamesTheHolder(t *testing.T) {
	w := newWorld(t)
	d := w.daemon()
	second := w.run("daemon")
	if second.code != 4 {
		t.Fatalf("exit %d, want 4: %s", second.code, second.err)
	}
	if !strings.Contains(second.err, fmt.Sprint(d.cmd.Process.Pid)) {
		t.Errorf("the holder's pid %d is not named: %s", d.cmd.Process.Pid, second.err)
	}
	if s := w.run("daemon", "status"); s.code != 0 {
		t.Errorf("the first daemon was disturbed: %s", s.err)
	}
}

// SIGTERM ends the daemon within two seconds and leaves the bots alone.
func TestTermLeavesBotsRunning(t *testing.T) {
	w := newWorld(t)
	ran, goOn := sleepers(w, 2)
	d := w.daemon()
	w.eventually("two bots run", func() bool { return w.lines(ran) == 2 })
	code, took := d.term()
	if code != 0 || took > 2*time.Second {
		t.Errorf("exit %d after %s, want 0 within 2s", code, took)
	}
	for _, r := range w.runs() {
		if r.Status != run.Running {
			t.Errorf("run %s is %s, want running", r.ID, r.Status)
		}
	}
	release(t, goOn)
	w.ok("daemon", "--until-idle")
	w.settled(2)
}

// A bot that leaves a daemon of its own behind does not get away with it.
func TestI10_DoubleForkedSleeperIsGone(t *testing.T) {
	w := newWorld(t)
	w.shell("card", `(setsid sh -c 'CANARY=left-behind exec sleep 600 </dev/null >/dev/null 2>&1 &' &) ; sleep 0.2; echo gone`)
	w.ok("daemon", "--until-idle")
	w.settled(1)
	if left := w.processes("CANARY=left-behind"); len(left) > 0 {
		t.Errorf("processes %v outlived their run", left)
	}
	log := w.ok("runs", "logs", w.runs()[0].ID)
	if !strings.Contains(log, "gone") {
		t.Errorf("the bot's log: %q", log)
	}
}

// A board that came with a clone runs nothing until its owner said so here.
func TestClonedStoreStartsPaused(t *testing.T) {
	origin := newWorld(t)
	origin.git("init", "-q")
	origin.shell("card", "echo worked")
	origin.git("add", "-A")
	origin.git("commit", "-q", "-m", "a board")

	w := bareWorld(t)
	w.git("clone", "-q", origin.dir, ".")
	d := w.daemon()
	w.eventually("the status says why", func() bool {
		s := w.ok("daemon", "status")
		return strings.Contains(s, "iterion trust") && strings.Contains(s, "paused")
	})
	if len(w.runs()) != 0 {
		t.Error("something ran before the store was trusted")
	}
	if s := w.run("run", "shell", "--var", "command=true"); s.code == 0 || !strings.Contains(s.err, "iterion trust") {
		t.Errorf("iterion run on an untrusted store: exit %d, %s", s.code, s.err)
	}
	w.ok("trust")
	w.eventually("the card is worked", func() bool { return w.inState(board.StateReview) == 1 })
	d.term()
	w.settled(1)
}

// A card made ready while the daemon runs starts without waiting for the poll.
func TestMoveToReadyStartsTheBot(t *testing.T) {
	w := newWorld(t)
	d := w.daemon()
	id := w.ok("-q", "issue", "create", "--title", "later", "--bot", "shell", "--bot-arg", "command=echo hi", "--state", "backlog")
	w.ok("issue", "move", id, "--to", "ready")
	w.eventually("the card is in review", func() bool { return w.issue(id).State == board.StateReview })
	d.term()
	w.settled(1)
}

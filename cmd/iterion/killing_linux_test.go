package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

var killFor = flag.Duration("kill-for", 30*time.Second, "how long daemons are being killed")

// mortalBot does what its card's plan says. It notes each of its starts, and holds
// a lock of its card, which a child that escapes from its session shares.
const mortalBot = `name: mortal
run:
  resume: true
  env: {NOTES: "PATH"}
  script: |
    exec 9>>"$NOTES/$ITERION_ISSUE_IDENTIFIER.lock"
    flock -n 9 || echo "$ITERION_RUN_ID" >>"$NOTES/overlaps"
    echo "$ITERION_RUN_ID $ITERION_ISSUE_ID $ITERION_ATTEMPT $ITERION_RESUME" >>"$NOTES/begun"
    (setsid sleep 60 >/dev/null 2>&1 &)
    sleep 0.$(($$ % 8))
    case "$ITERION_VAR_PLAN" in
    permanent) iterion report fail --permanent 'it never works'; exit 1 ;;
    never) exit 1 ;;
    third) [ "$ITERION_ATTEMPT" -ge 3 ] || exit 1 ;;
    asks | silent)
      if [ "$ITERION_RESUME" = 0 ]; then iterion report ask --question 'Ship it?' --choices yes,no; exit 0; fi ;;
    esac
    echo "$ITERION_RUN_ID" >>"$NOTES/ended"
vars:
  plan: {required: true}
`

// mortalAttempts is how often a card may be tried.
const mortalAttempts = 4

// plans are what the cards' bots do, and where each card ends.
var plans = []struct{ name, column string }{
	{"works", board.StateReview}, {"third", board.StateReview}, {"asks", board.StateReview},
	{"permanent", board.StateBlocked}, {"never", board.StateBlocked}, {"silent", board.StateAwaitingInput},
}

// Three daemons with workspace roots of their own work one store and are killed at
// random instants, again and again, while cards keep coming and questions are
// answered. In the end every card is where its bot's doing puts it, every bot was
// started once for each attempt on record, never beside another of its card, and
// no process lives on.
func TestI3_I6_I10_ThreeDaemonsKilledAtRandom(t *testing.T) {
	k := newKilling(t, torment(t))
	for began := time.Now(); time.Since(began) < *killFor; {
		k.round()
	}
	for _, d := range k.daemons {
		d.kill9()
	}
	for again := true; again; again = k.answer("asks") > 0 {
		k.w.ok("daemon", k.configs[0], "--until-idle", "-q")
	}
	k.check()
	t.Logf("%d cards, %d runs, %d starts of bots, %d daemons killed in %v",
		len(k.plan), len(k.w.runs()), k.w.lines(k.notes("begun")), k.killed, *killFor)
}

type killing struct {
	w       *world
	rand    *rand.Rand
	configs []string
	daemons []*proc
	plan    map[string]string // by card

	answered map[string]bool // runs
	killed   int
}

func newKilling(t *testing.T, r *rand.Rand) *killing {
	k := &killing{w: newWorld(t), rand: r, plan: map[string]string{}, answered: map[string]bool{}}
	if err := os.Mkdir(k.notes(), 0o700); err != nil {
		t.Fatal(err)
	}
	k.w.write("bots/mortal/manifest.yaml", strings.ReplaceAll(mortalBot, "PATH", k.notes()))
	for _, name := range []string{"one", "two", "three"} {
		k.w.write("conf/"+name+".yaml", fmt.Sprintf(`workspace: {root: %q}
polling: {interval_ms: 500}
agent: {max_concurrent: 4, max_attempts: %d, max_retry_backoff_ms: 50}
`, k.w.path(name), mortalAttempts))
		k.configs = append(k.configs, k.w.path("conf", name+".yaml"))
		k.daemons = append(k.daemons, k.w.start("daemon", k.w.path("conf", name+".yaml")))
	}
	return k
}

func (k *killing) notes(name ...string) string {
	return k.w.path(append([]string{"notes"}, name...)...)
}

// round files some cards, lets the daemons work for a moment and kills one or two of
// them, which begin anew at once.
func (k *killing) round() {
	for range k.rand.IntN(3) {
		p := plans[k.rand.IntN(len(plans))].name
		id := k.w.card(fmt.Sprintf("card %d, %s", len(k.plan), p), "mortal", "--bot-arg", "plan="+p)
		k.plan[id] = p
	}
	if k.rand.IntN(4) == 0 {
		k.answer("asks")
	}
	time.Sleep(time.Duration(k.rand.IntN(900)) * time.Millisecond)
	for range 1 + k.rand.IntN(2) {
		n := k.rand.IntN(len(k.daemons))
		k.daemons[n].kill9()
		k.killed++
		k.daemons[n] = k.w.start("daemon", k.configs[n])
	}
}

// answer answers the runs that ask, of cards with a plan, and returns how many.
func (k *killing) answer(plan string) (n int) {
	for _, r := range k.w.runs() {
		if k.plan[r.Source.IssueID] == plan && r.Status == run.PausedHuman && !k.answered[r.ID] {
			k.w.ok("runs", "answer", r.ID, "yes", "--no-resume")
			k.answered[r.ID] = true
			n++
		}
	}
	return n
}

func (k *killing) check() {
	t := k.w.t
	if left := k.w.processes("HOME=" + k.w.home); len(left) > 0 {
		t.Errorf("processes %v outlived their runs", left)
	}
	if over, err := os.ReadFile(k.notes("overlaps")); err == nil {
		t.Errorf("runs that began while something of an earlier one of their card lived: %s", over)
	}
	starts := k.checkStarts()
	byCard := map[string][]run.Record{}
	for _, r := range k.w.runs() {
		byCard[r.Source.IssueID] = append(byCard[r.Source.IssueID], r)
		k.checkRun(r, starts[r.ID])
	}
	all := k.w.issues()
	if len(all) != len(k.plan) {
		t.Errorf("%d cards, want %d", len(all), len(k.plan))
	}
	held := k.journal()
	for _, is := range all {
		k.checkCard(is, byCard[is.ID], held[is.ID])
		delete(held, is.ID)
	}
	if len(held) > 0 {
		t.Errorf("the claim journal holds %+v besides", held)
	}
}

// begun is one line of a bot.
type begun struct{ run, card, attempt, resume string }

// checkStarts reads what the bots noted of their starts, by run.
func (k *killing) checkStarts() map[string][]begun {
	byRun, seen := map[string][]begun{}, map[begun]string{}
	data, _ := os.ReadFile(k.notes("begun"))
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		s := begun{f[0], f[1], f[2], f[3]}
		byRun[s.run] = append(byRun[s.run], s)
		attempt := begun{card: s.card, attempt: s.attempt}
		if k.asks(s.card) {
			attempt.resume = s.resume // its attempt goes on once it has the answer
		}
		if other, ok := seen[attempt]; ok {
			k.w.t.Errorf("attempt %s of %q was made by the runs %s and %s", s.attempt, k.plan[s.card], other, s.run)
		}
		seen[attempt] = s.run
	}
	return byRun
}

func (k *killing) asks(card string) bool { return k.plan[card] == "asks" || k.plan[card] == "silent" }

// attempts is how often a run came to an end, as its events tell. Where its launcher
// was killed before the bot began there was no attempt.
func (k *killing) attempts(r run.Record) (n int) {
	events, err := run.Open(k.w.layout().Runs(), run.Options{}).Events(r.ID, -1)
	if err != nil {
		k.w.t.Error(err)
	}
	for _, e := range events {
		if e.Data["outcome_seq"] != nil && e.Data["failure_code"] != run.CodeSupervisorLost {
			n++
		}
	}
	return n
}

// checkRun compares a record with the starts of its bot: one for each attempt, and
// one more where it asked first.
func (k *killing) checkRun(r run.Record, starts []begun) {
	want := k.attempts(r)
	if k.asks(r.Source.IssueID) && (want > 0 || r.Status.Paused()) {
		want++
	}
	if len(starts) != want {
		k.w.t.Errorf("the bot of run %s (%s, %s %s) was started as %v, want %d starts",
			r.ID, k.plan[r.Source.IssueID], r.Status, r.FailureCode, starts, want)
	}
}

// journal is what daemons keep, by card.
func (k *killing) journal() map[string]dispatch.JournalEntry {
	var entries []dispatch.JournalEntry
	data, err := os.ReadFile(k.w.path(".iterion", "dispatcher", "claims.json"))
	if err == nil {
		err = json.Unmarshal(data, &entries)
	}
	held := map[string]dispatch.JournalEntry{}
	for _, e := range entries {
		held[e.IssueID] = e
	}
	if err != nil || len(held) != len(entries) {
		k.w.t.Errorf("the claim journal holds %s, %v", data, err)
	}
	return held
}

func (k *killing) checkCard(is board.Issue, runs []run.Record, held dispatch.JournalEntry) {
	finished, tried := 0, 0
	for _, r := range runs {
		if r.Status == run.Finished {
			finished++
		}
		tried += k.attempts(r)
	}
	plan := k.plan[is.ID]
	var ok bool
	switch free := is.Claim == "" && held.IssueID == ""; plan {
	case "works", "asks":
		ok = free && finished == 1 && tried == 1
	case "third":
		ok = free && finished == 1 && tried == 3
	case "permanent":
		ok = free && is.GaveUp != nil && finished == 0 && tried == 1
	case "never":
		ok = free && is.GaveUp != nil && finished == 0 && tried == mortalAttempts
	case "silent":
		ok = is.Claim != "" && is.Claim == held.Marker && held.Phase == dispatch.PhaseParked && is.AwaitingInput && tried == 0
	}
	for _, p := range plans {
		ok = ok && (p.name != plan || p.column == is.State)
	}
	if !ok {
		k.w.t.Errorf("%q is in %s, claim %q, journal %+v, with %d of %d attempts finished in %d runs; %s",
			is.Title, is.State, is.Claim, held, finished, tried, len(runs), k.w.run("why", is.ID).out)
	}
}

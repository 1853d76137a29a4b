package dispatch

import (
	"fmt"
	"slices"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// facts are what the guards judge one card by.
type facts struct {
	world
	candidate
	now   time.Time
	fresh bool      // read just now: in the last look and in why
	live  []RunView // of the card, by its id; only when fresh
}

// world is what the dispatcher knows beyond the card.
type world struct {
	cfg       Config
	marker    string
	columns   columns
	desired   Desired
	budget    budget
	stopping  bool
	slots     int            // used
	kept      int            // kept for runs without a card
	slotsHere int            // used by cards from this card's column
	slotsBy   map[string]int // by column; only in why
	retry     RetryEntry
	retryAt   time.Time // with jitter; zero: nothing waits
	infra     infra
	starting  bool
	booting   bool   // what earlier daemons left is not taken over yet
	bootErr   string // why that failed last
	own       *card  // when the card is ours already
	refusal   *refusal
	left      *JournalEntry // what a daemon that is not there any more noted of the card
}

// answer is a guard's judgement.
type answer struct{ answer, reason, remedy string }

func pass(reason string) answer             { return answer{AnswerPass, reason, ""} }
func skip(reason, remedy string) answer     { return answer{AnswerSkip, reason, remedy} }
func stopWalk(reason, remedy string) answer { return answer{AnswerStop, reason, remedy} }
func acts(reason string) answer             { return answer{AnswerActs, reason, ""} }

// guard is one row of the table.
type guard struct {
	row   int
	name  string
	of    func(facts) answer
	again bool // judged again on fresh facts just before a claim
	goOn  bool // judged before the run of a parked card goes on
}

// Names of the guards that other code refers to.
const (
	guardColumn = "column"
	guardPaused = "paused"
	guardSpend  = "spend"
	guardSlots  = "slots"
	guardResume = "resume" // no row: the run of a parked card did not go on, and is tried again
	guardClaim  = "claim"
	guardRetry  = "retry due"
)

// guards returns the table. Row 0 is the precondition of being looked at; the
// rows from 12 on act when a card is started.
func guards() []guard {
	return []guard{
		{row: 0, name: guardColumn, of: columnGuard, again: true},
		{row: 1, name: guardPaused, of: pausedGuard, goOn: true},
		{row: 2, name: guardSpend, of: spendGuard, goOn: true},
		{row: 3, name: guardSlots, of: slotsGuard, goOn: true},
		{row: 4, name: "state slots", of: stateSlotsGuard, goOn: true},
		{row: 5, name: "claimed", of: claimedGuard, again: true},
		{row: 6, name: guardRetry, of: retryGuard},
		{row: 7, name: "ticket router", of: routerGuard, again: true},
		{row: 8, name: "bot", of: botGuard, again: true},
		{row: 9, name: "blockers", of: blockersGuard, again: true},
		{row: 10, name: "last run", of: lastRunGuard, again: true},
		{row: 11, name: "operator cancel", of: cancelGuard, again: true},
		{row: 12, name: guardClaim, of: claimGuard},
		{row: 13, name: "own paused run", of: pausedRunGuard},
		{row: 14, name: "workspace owner", of: workspaceGuard},
		{row: 15, name: "in-progress move", of: moveGuard},
	}
}

// goOnGuards are the rows that a parked card whose run may go on must pass.
func goOnGuards() []guard {
	return slices.DeleteFunc(guards(), func(g guard) bool { return !g.goOn })
}

// leftOut names a row that is passed over, to prove that it would be missed. It is
// set by tests alone.
var leftOut string

// refuse returns the first row that does not let the card through.
func refuse(table []guard, f facts) (guard, answer, bool) {
	for _, g := range table {
		if g.name == leftOut {
			continue
		}
		if a := g.of(f); a.answer == AnswerSkip || a.answer == AnswerStop {
			return g, a, true
		}
	}
	return guard{}, answer{}, false
}

// lastLook are the rows that can have changed since the discovery.
func lastLook() []guard {
	var rows []guard
	for _, g := range guards() {
		if g.again {
			rows = append(rows, g)
		}
	}
	return rows
}

func columnGuard(f facts) answer {
	if f.columns.eligible(f.Issue.State) {
		return pass("column " + f.Issue.State + " is eligible")
	}
	if f.own != nil || f.inherits() {
		return pass("the card was started already, in column " + f.Issue.State + " it waits for its run")
	}
	if !f.columns.has(f.Issue.State) {
		return skip("the board has no column "+f.Issue.State, "move the card to an eligible column")
	}
	return skip("cards are not started from column "+f.Issue.State, "move the card to an eligible column")
}

func pausedGuard(f facts) answer {
	switch {
	case f.stopping:
		return stopWalk("the runs are being stopped", "start the daemon again")
	case f.booting:
		return stopWalk("the daemon is starting"+because(f.bootErr), "look at the errors in iterion daemon status")
	case f.desired.Desired == DesiredPaused:
		return stopWalk("dispatch is paused"+byWhom(f.desired), "iterion daemon unpause")
	case f.now.Before(f.infra.until):
		return stopWalk(fmt.Sprintf("waiting until %s after trouble: %s", clock(f.infra.until), f.infra.last),
			"look at the errors in iterion daemon status")
	case f.infra.fails > 0 && f.starting:
		return stopWalk("one card at a time after trouble: "+f.infra.last, "")
	}
	return pass("dispatch is running")
}

func slotsGuard(f facts) answer {
	if f.slots >= f.cfg.MaxConcurrent {
		return stopWalk(fmt.Sprintf("all %d slots are in use", f.cfg.MaxConcurrent), "wait, or raise agent.max_concurrent")
	}
	if f.slots+f.kept >= f.cfg.MaxConcurrent {
		return stopWalk("the free slot goes to a clock or an event that has waited for one", "wait, or raise agent.max_concurrent")
	}
	return pass(fmt.Sprintf("%d of %d slots in use", f.slots, f.cfg.MaxConcurrent))
}

func stateSlotsGuard(f facts) answer {
	most, capped := f.cfg.MaxConcurrentByState[f.Issue.State]
	if !capped {
		return pass("no cap for column " + f.Issue.State)
	}
	if f.slotsHere >= most {
		return skip(fmt.Sprintf("all %d slots of column %s are in use", most, f.Issue.State),
			"wait, or raise agent.max_concurrent_by_state")
	}
	return pass(fmt.Sprintf("%d of %d slots of column %s in use", f.slotsHere, most, f.Issue.State))
}

func claimedGuard(f facts) answer {
	switch {
	case f.own != nil:
		return skip("already dispatched: "+f.own.phase+ofRun(f.own.runID)+because(f.own.reason), ownRemedy(f.own))
	case f.inherits():
		return skip("claimed by a daemon that is not running any more"+ofRun(f.left.RunID)+": the next one goes on with it", "iterion daemon")
	case f.Issue.Claim != "":
		return skip("claimed by "+f.Issue.Claim, "iterion issue release --force "+board.ShortID(f.Issue.ID))
	}
	return pass("nobody holds the card")
}

// inherits reports whether the card's claim is one that the next daemon takes over.
func (f facts) inherits() bool { return f.left != nil && f.left.Marker == f.Issue.Claim }

func ownRemedy(c *card) string {
	switch {
	case c.phase == PhaseHeld:
		return clearRemedy(c.issue)
	case c.phase == PhaseParked && c.asks != "":
		return "iterion runs answer " + c.runID
	case c.phase == PhaseParked && c.pause == run.PauseOperator:
		return "iterion runs resume " + c.runID
	}
	return ""
}

func retryGuard(f facts) answer {
	if f.now.Before(f.retryAt) && f.retry.QuotaWaits > 0 {
		return skip(fmt.Sprintf("waits until %s for its allowance (wait %d since %s, no attempt spent): %s",
			clock(f.retryAt), f.retry.QuotaWaits, clock(f.retry.QuotaSince), f.retry.LastReason), retryRemedy(f))
	}
	if f.now.Before(f.retryAt) {
		return skip(fmt.Sprintf("attempt %d is due at %s: %s", f.retry.Attempts+1, clock(f.retryAt), f.retry.LastReason),
			retryRemedy(f))
	}
	return pass(fmt.Sprintf("%d of %d attempts spent", f.retry.Attempts, f.cfg.MaxAttempts))
}

// retryRemedy ends a wait: the wait for a run ends with the card's pointer to it.
func retryRemedy(f facts) string {
	if f.retry.LastRunID != "" && f.Issue.LastRunID != "" {
		return clearRemedy(f.Issue)
	}
	return "wait, or move the card to a column that is not worked, and back"
}

func botGuard(f facts) answer {
	switch {
	case f.Slug == "":
		return skip("the card names no bot and there is no default", "iterion issue update "+board.ShortID(f.Issue.ID)+" --bot NAME")
	case f.BotErr != nil:
		return skip(fmt.Sprintf("bot %s: %v", f.Slug, f.BotErr), "iterion bot list")
	}
	return pass("bot " + f.Slug)
}

func blockersGuard(f facts) answer {
	if len(f.Blockers) > 0 {
		return skip("waits for "+list(f.Blockers), "finish or remove the blockers")
	}
	return pass("no open blocker")
}

func claimGuard(f facts) answer {
	if f.refusal != nil {
		return skip(f.refusal.reason, "iterion daemon refresh")
	}
	return acts("would be claimed as " + f.marker)
}

func workspaceGuard(facts) answer {
	return acts("the working folder is made or reused when the card starts")
}

func moveGuard(f facts) answer {
	switch {
	case !f.columns.has(f.cfg.RunningState):
		return acts("stays in " + f.Issue.State + ": the board has no column " + f.cfg.RunningState)
	case f.Issue.State == f.cfg.RunningState:
		return acts("is in " + f.cfg.RunningState + " already")
	}
	return acts("would be moved to " + f.cfg.RunningState)
}

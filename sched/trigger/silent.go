package trigger

import "iterion/native/board"

// Actor is who the writes and launches of the effect worker are by.
const Actor = "trigger-spine"

// The other actors whose own writes fire nothing. That the names are right is for
// the tests of the whole program to see.
const (
	actorDispatcher = "dispatcher"
	actorWatchdog   = "watchdog"
)

// MachineReasons returns the reasons that silence an event of the board.
func MachineReasons() []string {
	return []string{
		board.ReasonWatchdog, board.ReasonSchemaMigration, board.ReasonLaunchRefused, board.ReasonStateRenamed,
		reasonStateDeleted, board.ReasonLabelRenamed, board.ReasonImport, board.ReasonPromoted,
	}
}

// reasonStateDeleted is given by other implementations only: here a column that
// holds cards cannot go away.
const reasonStateDeleted = "state_deleted"

// Silent returns why an event yields nothing whatever the subscriptions say, or
// "".
func Silent(e Event) string {
	switch {
	case e.LaunchedRunID != "":
		return "it is the trace of run " + e.LaunchedRunID
	case e.Source != SourceBoard:
		return ""
	case machineReason(e.Reason):
		return "a machine made it: reason " + e.Reason
	case e.Reason == "" && machine(e.Actor):
		return "a machine made it: a write of the " + e.Actor + "'s own"
	}
	return ""
}

func machineReason(reason string) bool {
	switch reason {
	case board.ReasonWatchdog, board.ReasonSchemaMigration, board.ReasonLaunchRefused, board.ReasonStateRenamed,
		reasonStateDeleted, board.ReasonLabelRenamed, board.ReasonImport, board.ReasonPromoted:
		return true
	}
	return false
}

// machine: what the dispatcher writes without a reason are its claims, its stamps
// and its filings of cards that it takes up or parks. What records a run's own
// verdict has a reason, and fires.
func machine(actor string) bool {
	return actor == actorDispatcher || actor == actorWatchdog || actor == Actor
}

package dispatch

import (
	"time"

	"iterion/native/board"
)

// message is what the actor takes in: a question from outside, an answer of a
// worker, or a wake-up. Every message carries values only.
type message any

// From outside.
type (
	tickAsked struct { // Refresh, Nudge
		all   bool
		spend bool // only the day's spending may have changed
		ids   map[string]bool
	}
	woke       struct{} // the wake-up that the state asked for
	setDesired struct {
		want  Desired
		reply chan<- error
	}
	cancelAsked struct{ runID string }
	pauseAsked  struct{ runID string }
	resumeAsked struct { // a run that can go on shall
		view  RunView
		by    string
		reply chan<- error
	}
	stopRuns struct {
		by    string
		reply chan<- error
	}
	reserveAsked struct { // a run without a card wants a slot
		of    Direct
		reply chan<- error
	}
	takeOverAsked struct{}
	configured    struct {
		cfg   Config
		reply chan<- error
	}
	worldAsked struct {
		issueID string
		reply   chan<- world
	}
	drain struct{} // take no more work
)

// From workers.
type (
	booted struct {
		desired Desired
		retries map[string]RetryEntry
		found   []adoption
		direct  []RunView // live, without a card
		schema  board.Schema
		err     error
	}
	desiredSaved struct {
		want  Desired
		reply chan<- error
		err   error
	}
	discovered struct {
		d   discovery
		err error
	}
	refused struct { // the last look before the claim, or the claim, said no
		issueID   string
		guard     string
		reason    string
		updatedAt time.Time // of the card when it was refused
	}
	claimed struct {
		issueID string
		issue   board.Issue
		bot     Bot
		runID   string
		at      time.Time
	}
	launched struct {
		issueID string
		runID   string
		placed  string // column that the card is in now
		workdir string
		unseen  error // of a launch of which nobody can say whether it made the run
	}
	startFailed struct { // after the claim (unless claimed is false), before a run existed
		issueID string
		kind    failKind
		placed  string
		err     error
		claimed bool
	}
	taken struct { // a card was claimed for a run that is to go on, or was not
		issueID string
		issue   board.Issue
		bot     Bot
		reply   chan<- error
		err     error
	}
	goOnFailed struct { // the run of a parked card does not go on
		issueID string
		placed  string
		err     error
	}
	repark struct { // the card that was claimed has a paused run of its own
		issueID string
		view    RunView
	}
	directTried struct {
		runID string
		err   error
	}
	directEnded   struct{ runID string }
	reservedTried struct { // a run that has its slot was made, or was not
		runID string
		err   error
	}
	runsFound struct { // live runs without a card
		runs []RunView
		err  error
	}
	spendSeen struct{ budget budget }
	ended     struct { // the await came back
		issueID, runID string
		view           RunView
		stamped        bool
		err            error
	}
	claimLost struct {
		issueID string
		fence   board.Fence
	}
	stopTried struct {
		issueID string
		err     error
	}
	settled struct {
		issueID string
		outcome filed
		err     error
	}
	probed struct {
		issueID string
		holds   int // of the card when the look began
		issue   board.Issue
		missing bool
		view    RunView
		err     error // of the run
		cardErr error
	}
	troubled struct{ what string }
)

// failKind classes a start that did not come to a run.
type failKind int

const (
	failTrouble    failKind = iota // the world around: no attempt spent
	failBusy                       // somebody works in the folder
	failHook                       // a hook before the run failed: an attempt is spent
	failPermanent                  // the launch can never work
	failLost                       // the claim was lost meanwhile
	failIneligible                 // the card was moved away meanwhile
	failShutdown                   // the dispatcher ends
)

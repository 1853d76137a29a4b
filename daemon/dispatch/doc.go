// Package dispatch is the actor that turns cards into runs and settles them.
//
// # One owner of state
//
// A single goroutine owns everything the dispatcher knows. It takes a message,
// runs the pure step (state, message, now) -> (state, effects), publishes a
// snapshot and starts the effects. Effects are workers: each does its reading,
// writing and waiting in a goroutine of its own and answers with a message. The
// actor itself never reads a file, never takes a lock and never waits for a
// process, so a store call that hangs delays its own card and nothing else.
//
// # A dispatched card
//
// A card goes through these phases; the same words stand in the journal.
//
//	claiming   a slot is reserved; the card is read once more, then claimed
//	preparing  the claim is ours: in-progress move, working folder
//	launching  the run id is durable; the run's folder and supervisor are made
//	running    the run exists; a worker waits for its end
//	stopping   somebody asked for the run's end; the worker still waits for it
//	settling   the run's end is known; the card is being filed
//	parked     claim kept without a slot, renewed: the run waits for a person
//	held       claim kept without a slot, not renewed: a person cancelled the
//	           run, or filing the card would be a guess
//
// The order of writes, and what a crash right after each leaves behind for the
// next daemon, which adopts the journal entries of owners that are provably dead:
//
//	journal, epoch 0       the card is not ours: the entry is dropped
//	claim                  the card carries the entry's marker: released
//	journal, epoch + run   as above; no run of that id exists, and none will
//	in-progress move       back to the source column, then released
//	workspace              the same; its mark goes with the release
//	launch                 the run is found by the journalled id: awaited or judged
//	last run stamped       the same
//	(the run ends)         judged by its record, as the old daemon would have done
//	ledger                 the attempt is counted once, by run id
//	final move, stamps     found where it was to go: released only
//	release                the entry is dropped
//	journal entry removed  nothing is left
//
// The release is always the last write to the card and the heartbeat, which
// renews the lease every third of it from the claim on, ends after that write.
// A lease is never read as an owner: only a marker and an epoch are.
//
// A card whose last run failed and can go on is not given a fresh one: the journal
// names the old run instead, and in the place of the launch that run is resumed,
// under its own id and in the folder that it knows. A crash before the resume
// leaves a run that is as it was, and whose failure the ledger has counted; it is
// counted by its outcome_seq, so that each failure of one run counts, once.
//
// # How a card leaves
//
// COMPLETED, GAVE UP and REVERT free the claim; PARKED and HELD keep it. Which
// one it is follows from the run's record alone (judge.go), so that a restarted
// daemon comes to the same answer. Attempts live in the ledger with the card.
// There are no timers that could go stale: after every step one wake-up is
// computed from the state, and whatever is due is found by looking.
//
// # Parking
//
// A paused run parks its card: the slot is free, the claim is kept and renewed, and
// the journal says so, over restarts too. Every look at the board also looks after
// the parked ones. An answer, a person who says go on (ResumeRun, or a move of a
// card that only waits for that), or money for a run that the day's cap paused,
// makes a card ready; it then waits in the walk among all others for a slot
// (park.go). A run that ended meanwhile is settled, one that goes on by other hands
// is watched again, and a card that a person took out of the eligible columns is
// let go where it is: its run stays paused and keeps any second run from starting.
// A card that is found unclaimed with a paused run of its own is claimed and parked
// again, for the same reason.
//
// Runs without a card that are asked to go on share the slots, the pause and the
// cap (direct.go). So do those that clocks and events start: whoever is about to make
// one reserves a slot first, and is refused while nothing may start (reserve.go). The
// slot is held until the run ends; a new dispatcher finds the live ones again by their
// records, before it starts anything.
//
// # Waiting for better times
//
// At the day's cap nothing starts, and runs whose bots can go on later are paused.
// Spending that cannot be read stops what would start and pauses nothing. A run
// whose allowance is used up waits for its reset in the ledger and spends no
// attempt, as often and as long as its bot allows (quota.go).
//
// # What stops a second run
//
// The guard table (guard.go) is one ordered list, used by the walk over a
// discovery, by the last look just before a claim, and by Why and Explain. A
// run that is live, paused or unreadable holds its card, whether it is found by
// the card's pointer, by the journal or by the card's id in the run's source. A
// run that finished holds its card until the card is moved again or the pointer
// is cleared: a clean exit never starts over by itself.
// A run that another daemon may be launching this moment, for a claim that was taken
// away from it, holds the card by that daemon's journal entry (elsewhere.go).
//
// # Trouble
//
// Errors of the world around (disk, store, supervisor) spend no attempt. They
// put the whole dispatcher on a growing pause, after which one card probes the
// world before the others follow. A hook that fails is the card's own trouble: it
// spends an attempt and holds nobody up.
//
// # Ending
//
// When its context ends the dispatcher starts nothing more, gives writes in
// flight a moment, and returns. Live runs carry on under their supervisors; the
// journal names them for the next daemon.
package dispatch

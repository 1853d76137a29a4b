// Package gate decides whether a schedule that is due starts its bot. All clocks
// cross it: the host's cron, the resident scheduler and the replicated ticker.
//
// # One due slot
//
// Decide goes through these steps and returns the one Record that tells how it
// ended. The caller holds the schedule's lock from before the first step until the
// run exists, so that of two who come at once exactly one can fire.
//
//	live      the schedule's runs that have not ended, by provenance. Who cannot
//	          list them does not fire: launch_failed.
//	overlap   the policy over those runs. Too many: skipped_overlap, naming the
//	          oldest that is in the way.
//	guard     the schedule's own command. Not zero: guard_blocked. Could not run,
//	          or took too long: guard_error.
//	reap      only where the policy wants it and the caller can: runs are ended,
//	          with proof, before the new one starts. One that withstands:
//	          launch_failed.
//	intend    the caller makes the decision to launch durable, with the run's id.
//	launch    fired, or launch_failed. A run of that id that exists already is the
//	          very launch that is asked for.
//
// Everything but the guard's process is pure or behind Ports. A Record is written
// by the caller, once a slot, also for a decider that died: the run id is fixed
// before Decide is called, so whoever comes next can tell what became of it.
//
// # Health
//
// Busy is not unhealthy: Record.Verdict says whether a decision raises the last
// error of its schedule, clears it or leaves it alone.
package gate

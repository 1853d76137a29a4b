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
// # The guard
//
// A guard is text for sh -c. It runs in the schedule's working folder, in a session
// and process group of its own, with standard input empty and no more of an
// environment than the caller gives it, ITERION_SCHEDULE and ITERION_SCHEDULE_BOT.
//
// The shell's exit is the verdict: 0 is yes, anything else is no, except for 126
// and 127, by which a shell says that it could not do what it was told, and for a
// signal: those are no answer. What the shell left in the background, in its
// group, in another session or behind a pipe that it holds open, is ended and
// proven gone before anything else happens, save a run that the guard started,
// which is its own. A guard that takes too long, or prints more than
// MaxGuardOutput, is ended in the same way; three seconds later at the latest
// Decide goes on.
//
// After a yes all that the guard printed on standard output is the var GuardVar of
// the launch. Output of one line comes without its newline, as from `$(…)`;
// anything longer comes byte for byte. A launch carries vars in a file, so that
// megabytes arrive whole; what is too long for an environment variable is there
// alone (package supervise).
//
// When the caller is killed meanwhile the shell dies with it on Linux; what the
// shell had started, and elsewhere the shell too, runs on to an end of its own.
//
// # Interrupted
//
// When ctx ends, a guard that runs is ended, nothing is launched and the record
// says so. A caller that stops in an orderly way and wants the slot to be decided
// later does not write that record.
//
// # Health
//
// Busy is not unhealthy: Record.Verdict says whether a decision raises the last
// error of its schedule, clears it or leaves it alone.
package gate

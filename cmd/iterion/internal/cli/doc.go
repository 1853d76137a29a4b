// Package cli is the command line: one file per command, each with its
// constructor, its options and its run function.
//
// A command writes its result, and nothing else, to standard output; talk and
// warnings go to standard error. It returns an error instead of exiting; Main
// turns the error into a message, a hint and an exit code, in one place:
//
//	0    done
//	1    failed for a reason outside the command line
//	2    the command line or the input is wrong
//	3    not found: store, card, run, bot, schedule
//	4    conflict: claim held or lost, already running, terminal column, locked,
//	     the day's spending at its cap
//	10   iterion run: the run failed
//	11   iterion run: the run paused
//	12   iterion run: the run was cancelled
//	130  interrupted
//
// What a command needs of the world (streams, environment, folders, clock,
// store, daemon) it takes from the Factory, which opens nothing before it is
// asked to: `iterion version` and completion of flags touch no store.
package cli

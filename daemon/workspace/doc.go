// Package workspace hands out one working folder per card below a root.
//
//	<root>/<key>/            where the card's bot works; nothing of ours inside
//	<root>/.marks/<key>.json the mark: card, generation, run that owns it now
//	<root>/.removing-…       a folder on its way out; swept at the next start
//	<root>/.dispatcher.lock  held by the daemon that hands the folders out
//
// The mark lies beside the folder, so that a checkout in it stays clean and a bot
// has no reason to touch it. Keys never start with a dot, so no card can be given
// one of our own names.
//
// A folder is prepared for one run at a time. It is busy while the run in its
// mark holds its lock, or while any process that we can look at has its working
// folder or an open file inside. The mark is written before the bot is started;
// a crash in between leaves a mark of a run without a lock, which binds nobody.
//
// A generation names one making of the folder. It changes when the folder was
// removed and made anew, so that work can tell whether it returns to the same
// files.
//
// A folder is removed only if the policy says so and it is proven that nobody is
// inside. It is first renamed, so that a crash never leaves half a folder under
// a card's name. Where the process table cannot be read, nothing is removed.
//
// Hooks run in the folder and while it is held: after_create until it succeeded
// once in a generation, which the mark says; before_run before each start; after_run
// when a run has ended; before_remove before the folder goes.
package workspace

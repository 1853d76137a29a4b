// Package local keeps the outbox and the inbox of one store in files. It is the
// file twin of [trigger.Outbox] and [trigger.Inbox].
//
// # The files
//
//	trigger-effects.json   the outbox as it once was: rows, cursors, and the seq of
//	                       the last change that is in it
//	trigger-effects.log    the changes since, one a line, numbered; the first line of
//	                       a log that follows a snapshot says so
//	trigger-inbox.jsonl    the inbox: entries numbered by seq, and what was told of
//	                       runs whose entries are trimmed
//	.trigger-effects.lock, .trigger-inbox.lock
//	                       held by whoever changes the outbox or the inbox
//	.trigger.tmp/          whole files on their way
//
// The two locks are locks of logs: whoever holds one takes no other, and calls
// nothing of anybody's.
//
// # Who writes
//
// The daemon that owns the store's singletons evaluates, claims and marks. Whoever
// runs `iterion trigger effects retry|drop` or `trigger emit` writes beside it, with
// a daemon or without. So nothing that is remembered counts for more than the files
// say: each change takes the lock, closes off a torn last line, takes in what others
// appended since, judges, and appends. Reading takes no lock.
//
// A change that was numbered and is whole in the log has happened, also when its
// writer died before it could say so; whoever comes next builds on it. The verbs are
// such that this is harmless: rows are found again by their id, a claim that nobody
// knows of runs out, and a mark is about one claim.
//
// The next owner of the singletons knows that the last one is dead, and ends its claims
// at once ([Outbox.Expire]).
//
// # A crash at each step
//
//	in the middle of rows   some are there, and the cursor is not: it is in the last
//	                        line. The events are read again.
//	torn line               closed off by the next writer, and no change
//	snapshot, old log       the log begins with changes that the snapshot holds
//	                        already: their numbers say so, and they are passed over
//	new log                 it begins with the number of the snapshot
//
// # What cannot be read
//
// A snapshot that cannot be read is never taken for an empty outbox: every verb is
// refused with an *UnreadableError, and effects wait. Where numbers are missing in
// the log, changes are lost: this is named in the program's log, the rest counts, and
// before the log is replaced by a snapshot it is kept aside as
// trigger-effects.log.broken-<seq>. Unreadable lines of the inbox stay where they are.
//
// # Run outcomes
//
// Supervisors know nothing of triggers. The daemon that owns the singletons looks at
// the runs whenever their folder changes, and puts what became of them in the inbox;
// [trigger.TellOutcomes] does this. Which outcome of which run was told last is in the
// inbox itself, so whatever ended while no daemon ran is found at its start. What had
// ended before the first start is noted as told: history fires nothing.
package local

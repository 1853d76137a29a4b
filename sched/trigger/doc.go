// Package trigger turns events into runs, once, and loses nothing in between.
//
// # The way of an event
//
//	feed        the board's log, and the inbox that takes run outcomes, manual and
//	            custom events. Each event has an id that a repeat shares.
//	evaluator   reads a feed behind its cursor, normalizes each record to Events and
//	            matches them against the subscriptions: pure but for the lookups.
//	outbox      one Effect for each (event, subscription), durable before the cursor
//	            moves. The run id of a launch is fixed in the row.
//	worker      claims rows, reads the subscription again, and promotes the card or
//	            launches the run. A run that exists means launched.
//
// # A crash at each step
//
//	before the rows     the cursor has not moved: the events are read again
//	rows, no cursor     likewise; the rows are found by their id and left alone
//	claimed             the horizon passes, the row is claimed again: an attempt
//	labels taken off    taken off, but not marked: the board's log says that this row's
//	                    run took them, so the launch goes on
//	run made            the run exists under the row's id: done
//	card stamped        the card is that bot's already: done
//
// # What yields nothing
//
// An event with a machine reason (package board names them) and one that is itself
// the trace of a launch. A run's outcome is checked against the run's record first.
// How many launches by outcome led to an event is carried along, and bounded: a row
// beyond the bound is there from the start as a failed one. What happened before a
// subscription was made, or before anybody listened to a feed, is not made up for.
//
// # Subscriptions
//
// A Set is what the bots' manifests ask for, as the operator's rows in triggers.yaml
// retune it, and the operator's own rows. One family of constructors (NewBoard,
// NewSchedule, NewKeepalive, NewCommand, NewForge) lays the ground for all of them.
//
//	triggers.yaml        the operator's; File edits it a row at a time. A row that is
//	                     wrong is named and out of force, and so is the derived
//	                     subscription that it retunes. A file that cannot be read as a
//	                     whole is an error, never an empty set.
//	triggers-state.json  the program's own, beside it: the last error of each
//	                     subscription, written when it changes, and which invocation
//	                     of a manifest bears which id
//	.triggers.lock       held by whoever writes one of the two
//
// The id of a derived subscription is manifest:BOT:KIND:N. It goes with its invocation
// when that is moved within the manifest, and stays when it is changed where it
// stands; so what an operator said of it, and its place in a clock's calendar, stay,
// too. Bots in the operator's folders have theirs in force, built-in ones only by a
// row. A bot that cannot be read leaves its subscriptions unknown, not gone.
package trigger

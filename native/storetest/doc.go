// Package storetest judges a store by its files alone, for tests. It shares no
// code with the rooms that write them: what those misread, it would not misread
// the same way.
//
// [Check] replays the log card by card and compares the end of the story with
// the card files. It wants a store at rest, behind one more command than the one
// that was killed: whatever a dead process left is by then finished or removed.
//
// # What is held against a store
//
//	I1  claims and releases alternate, each release names the holder, epochs grow
//	    by one at each claim, and the card says of its claim what the log says
//	I2  a write that names a holder, and one that only a holder may do, lies within
//	    that holder's claim
//	I4  seq counts from 0 without gap or repeat; each card has one issue_created;
//	    each card was last changed when its last event says, and what events tell
//	    of it (column, labels, blockers, comments, runs, stamps) is so; a card that
//	    the log did not delete is there; a verb over several cards was done whole;
//	    nothing is left in the staging folder, and no verb file
//	I5  every card and the board can be read, and each card bears its file's name
//
// Archives of the log (events-<first>-<last>.jsonl.gz) are the beginning of the
// story.
//
// A torn line in the middle of the log is no fault, as no event is missing for
// it; a [Report] counts them.
//
// What an event does not tell cannot be checked: the value of a title, or the
// labels that a card was made with. Where the state of things before an event is
// needed, it is taken from what comes later (the column that the first move came
// from, or the card's file), and is otherwise unknown and judged kindly.
package storetest

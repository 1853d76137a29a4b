// Package doctor examines a store and mends what can be mended. It is a room of
// its own because it knows the board's files and the runs' files together, which
// neither of their rooms may.
//
// # Examining
//
// [Examine] reads and takes no lock, so it works on a store that cannot be
// written, on one that a stopped process holds, and beside any number of writers.
// It leaves a write on its way alone: what may be one is looked at twice, and
// counts only when nothing has moved and nobody holds the writer lock.
//
// A [Finding] has a stable id, and says what is wrong, where, what follows from
// it, and what [Fix] does or what a person should do. Its severity:
//
//	error    something does not work, or is about to be lost
//	warning  something is not as it should be
//	note     worth knowing; a store with nothing but notes is healthy
//
// # Mending
//
// [Fix] never deletes content. What is in the way is moved, under its own name
// and path, to a folder named by the instant:
//
//	dispatcher/aside/<UTC instant>/dispatcher/issues/native__….json
//
// Nothing there is read again by any program; whoever has looked through it may
// remove it. What Fix would have to invent it leaves alone: a gap in the log, two
// events of one number, a board that cannot be read, an operator's intent. What a
// run or a daemon is at work on it leaves alone as well.
//
// The steps, each of which looks again before it acts:
//
//  1. Without a lock: rights that the owner took from himself, and a folder where
//     the log should be. Nobody can write before.
//  2. Under the writer lock: files that belong to no committed change go aside,
//     and what an earlier writer committed is finished.
//  3. Under it: cards, journals, sockets, temporary files, rights of others; then
//     the log is written anew without the lines that are no events.
//  4. Under it: the log is told of cards that came or went without it, with
//     reason import, which starts nothing. A card that step 3 moved aside is told
//     as deleted; when it is mended and put back, it is told as created.
//
// A crash between any two of them leaves what the next examination finds.
package doctor

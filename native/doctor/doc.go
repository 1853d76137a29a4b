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
// # Checks
//
// Of the cards and the log, with its archives:
//
//	card-unreadable      bad JSON, an empty object, a folder in its place, no right to read
//	card-misnamed        the id inside is not the one in the name
//	card-state-unknown   its column is not on the board
//	card-folder-stray    a file among the cards that is none
//	card-without-event   the log does not know the card
//	log-younger          the same, of cards older than the log, as in a clone
//	card-missing         the log knows a card that is not there
//	card-differs         the last change and the last event are not the same
//	log-unreadable       it cannot be read at all
//	log-torn-tail        it ends in half a line
//	log-line-unreadable  a line is no event
//	log-line-doubled     a line is there twice
//	log-event-foreign    an event of a form that is not understood
//	log-gap              a seq is missing
//	log-seq-repeated     two events have one seq
//	log-unordered        the lines are not in the order of their seq
//	archive-unreadable   a file of events that have left the log is damaged
//	archive-left         one of events that are in the log still
//
// Of claims, and of what the daemon keeps:
//
//	claim-expired        a person's, whose lease ran out: it stays theirs
//	claim-carried        a dead daemon's, whose run goes on or waits for a person
//	claim-unsettled      a dead daemon's, for the next one to settle
//	claim-owner-dead     a dead daemon's, and nobody will settle it by himself
//	journal-stale        a journal entry without a claim
//	journal-unreadable   claims.json
//	ledger-unreadable    retries.json
//	intent-unreadable    runtime.json
//	board-unreadable     board.json
//	run-unreadable       a run's record
//	spend-unreadable     a day's spending
//	cap-unreadable       the cap that it is held against
//
// Of what was left by processes that died:
//
//	write-unfinished     a write that was not finished, or never committed
//	verb-set-aside       a change over several cards that nobody could finish
//	temp-left            a temporary file
//	run-staging-left     a launch that never became a run
//	owner-left           a lock file
//	socket-stale         a control socket
//	mark-misfit          a note about a log that it does not fit
//	index-misfit         an index of the cards that is damaged
//	wrong-kind           a file where a folder belongs, or the other way round
//
// Of locks, rights and the host:
//
//	writer-stopped, daemon-stopped                  the holder is suspended
//	writer-elsewhere, daemon-elsewhere              the holder is of another host
//	writer-lock-unreadable, daemon-lock-unreadable  nobody can tell
//	folder-unreadable      no right to read a folder
//	perm-open              files and folders that others may look at
//	owner-mismatch         files of another user
//	store-of-another-user  the store itself is
//	store-read-only        no right to write
//	clock-behind           it is earlier than what was written
//	watch-limit            the kernel grants fewer watches than a daemon needs
//	watch-refused          the kernel refuses one now
//	disk-full, inodes-low  little room is left
//	locks-lie              a file system on which two hosts may hold one lock
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
//     a file should be, or a file where a folder. Nobody can write before.
//  2. Under the writer lock: files that belong to no committed change go aside,
//     and what an earlier writer committed is finished.
//  3. Under it: cards, journals, sockets, temporary files, rights of others; then
//     the log is written anew without the lines that are no events.
//  4. Under it: the log is told of cards that came or went without it, with
//     reason import, which starts nothing. A card that step 3 moved aside is told
//     as deleted; when it is mended and put back, it is told as created.
//
// What takes long, reading a long log and all cards, is done before the lock is
// taken; under it only what has come since is read. A crash between any two steps
// leaves what the next examination finds.
package doctor

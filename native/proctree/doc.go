// Package proctree names processes beyond doubt, finds the descendants of one
// and ends them with proof.
//
// # Identity
//
// A pid alone proves nothing: it is reused. An [Identity] is host id, boot id,
// pid and the start time that the kernel notes; within one boot no two processes
// share it. Whoever is to be signalled is checked by identity first, and on
// Linux signalled through a pidfd, so that a reused pid is never hit.
//
// # Trees
//
// A tree is what descends from one process by parenthood. A child that calls
// setsid stays in it; one that forks twice leaves it, unless the root made
// itself a subreaper ([BecomeSubreaper]): then orphans are handed to the root and
// stay in. So a supervisor that is a subreaper sees all that its bot ever
// started, and [Descendants] of itself is the whole tree.
//
// [End] asks with TERM, waits, then insists with KILL, and looks again until two
// looks in a row find nothing. A process that was born while the last look was
// under way is found by the next one. What cannot be proven gone comes back as a
// [*SurvivorsError]: a process in uninterruptible sleep, or one that may not be
// signalled.
//
// # Reaping
//
// A subreaper must collect the dead that are handed to it. [Reap] is the only
// waiter of its process: it waits for any child, keeps the status of the one that
// matters and lets the others go. When the kernel says that no child is left,
// that is proof that nothing descends from the process any more, at no cost.
//
// # What a crash leaves
//
// When the root is killed its children go to the next subreaper or to init and
// are no longer findable by parenthood. They are found by what they still carry:
// a variable of their environment ([ByEnviron]) or the session that the root had
// opened ([BySession]). A process that left the session, forked twice and cleared
// its environment after its root died cannot be found; nothing short of a cgroup
// could.
//
// # macOS
//
// There is no subreaper, no readable environment of others and no pidfd. The tree
// is what the process table says by parenthood, plus the process groups found in
// it; a child that forks twice and opens its own session is not found.
package proctree

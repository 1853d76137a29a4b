// Package supervise starts runs, watches over them, stops them and settles what a
// crash left.
//
// # Two processes
//
// The launcher lives in whatever process wants a run: a command, the daemon. It
// makes the run's folder, then starts the same binary again as the supervisor, in
// a session of its own, and hands it the run's lock as descriptor 3. From then on
// the run belongs to the supervisor: the launcher may exit, be killed or be
// upgraded, and the run goes on.
//
//	launcher                          supervisor                      bot
//	lock, record queued, rename
//	start, close own copy of lock ──► lock close-on-exec
//	                                  owner, record running
//	                                  start in a group of its own ──► first instruction
//	                                  drain output, read reports,
//	                                  look at intent.json, clock
//	                                  collect the exit, end the tree,
//	                                  drain to the end
//	                                  final record, outcome event
//	                                  exit, which frees the lock
//
// # What a crash leaves
//
// A run whose lock is free and whose status is not final has lost its supervisor.
// Recover takes the lock and settles it:
//
//   - queued: the record turns running, durably, before the bot is started. So
//     the bot never ran: failed, code SUPERVISOR_LOST, and no attempt is spent.
//   - running: the bot may live on. Survivors are found by the session that the
//     supervisor had opened and by the run id in their environment, and ended with
//     proof; then failed_resumable, code PROCESS_ORPHANED.
//   - either, with a person's cancel pending: cancelled, for that was asked.
//
// # An end that cannot be proven
//
// A run is over when no process of its tree is left. While one withstands SIGKILL
// the record stays running with failure code KILL_UNCONFIRMED and a sentence that
// names the pids, the supervisor stays and keeps its lock, and it tries again
// until the process is gone. Then the run ends as it would have. Recover does the
// same once and returns the reason; Await tries again until its context ends. So
// whoever holds a claim for the run keeps it, and can say why.
//
// # The tree
//
// The supervisor is a subreaper: everything that the bot ever started and that
// still lives descends from it, whatever sessions it opened. A supervisor of
// another run in that tree (the bot called iterion run) is not part of it, nor is
// what descends from it: that run has its own lock, its own end and its own way to
// be cancelled. It is told by its command line and by the owner in its record.
//
// # Output
//
// What the bot prints goes to run.log as it comes, the values of pass_env variables
// blotted out. Past max_log bytes a mark is written and the rest is left out, but
// for the last 64 KiB, which follow at the end: a log that ends in the middle hides
// the very lines that tell what went wrong. The file only grows, so that a follower
// never loses its place. The bot is never held up by this.
//
// # What fsync is spent on
//
// Three for a run's folder, two for running, two for the final record, one for
// its event. Progress, reports and the log go without.
package supervise

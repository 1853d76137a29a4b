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
// # Going on
//
// A run that is paused or failed_resumable goes on under its id, in its folder and
// with the plan of its first launch. Resume takes the lock that its last supervisor
// let go of, and then does as Start does:
//
//	lock, plan written anew            (still paused: may be resumed again)
//	intent cleared                     (likewise)
//	record queued, durably             (from here a crash is SUPERVISOR_LOST)
//	event run_resumed, supervisor      ... as above
//
// A record that has started_at and is queued is one that goes on. Its bot is given
// ITERION_RESUME=1, the session of its agent in ITERION_SESSION, and
// ITERION_ANSWERS once a person has answered; run.log goes on behind a mark. A
// continued run that cannot be started stays failed_resumable, whatever the reason:
// what was done before is not thrown away for a program that is missing today.
//
// # What a crash leaves
//
// A run whose lock is free and whose status is queued or running has lost its
// supervisor. Recover takes the lock and settles it:
//
//   - queued: the record turns running, durably, before the bot is started. So
//     the bot did not run: code SUPERVISOR_LOST, and no attempt is spent. A first
//     launch is failed, a run that was to go on failed_resumable, and may go on
//     whether or not its bot can be continued, for its bot saw nothing of it.
//   - running: the bot may live on. Survivors are found by the session that the
//     supervisor had opened and by the run id in their environment, and ended with
//     proof; costs that the bot reported last are counted; then failed_resumable,
//     code PROCESS_ORPHANED.
//   - either, with a person's cancel pending: cancelled, for that was asked.
//
// A run that is paused or has ended may lack the event that says so. Recover
// makes up for it.
//
// # Asking for an end
//
// RequestStop writes intent.json for a run that has a supervisor, and settles a
// paused or failed_resumable run itself, under its lock. Neither misses the other:
// a supervisor that writes paused or failed_resumable looks at the intent once
// more afterwards, and whoever wrote an intent looks at the record once more. An
// intent is cleared only before a run is queued, so one that was written to a
// queued or running run is seen by its supervisor.
//
// Pause ends the tree and keeps the run paused_operator, its reason in
// pause_reason. Only a bot with resume: true can be paused. A run that is told to
// pause before its bot was started is paused without starting it.
//
// # Questions
//
// A report of type ask puts a question to a person. It counts when the bot exits
// with 0, as the last one if there were several; until then the bot may do what it
// likes. The question is stored first, then the record says paused_waiting_human,
// then the events tell. A question that cannot be read makes the run fail, code
// BAD_QUESTION: nobody could answer it.
//
// # Money
//
// Costs and tokens are totals of the run that never fall, kept over its lives.
// The record holds them together with how much of reports.jsonl they stand for
// (reports_read), so that a line is counted once, also when the supervisor is killed and
// the run goes on. The day's ledger is told by a goroutine of its own, for its lock
// may have to be waited for; it is told the total, so that a call that was lost is
// made up for by the next. At the end it is tried for a while, then complained
// about: the record has the figure. When the ledger says that the day's cap is
// reached, a bot that can be continued is paused.
//
// # Agents
//
// With the protocols of agent command lines an agent.Engine reads stdout. The
// stream itself goes to stream.jsonl, what it means to run.log; stderr goes to
// run.log, and its end to the engine before the verdict. The prompt is a file in
// the run's folder, which is standard input. The session is saved durably when it
// is first known. An agent that said its last word is given 30 s to exit and is then
// ended; its stream is believed all the same.
//
// # Looking
//
// The run's folder is watched, so that an intent or a report is noticed at once,
// and looked at now and then, which is the net: ten times a second while the bot
// says something, every two seconds while it does not, four times a second where
// nothing can be watched.
//
// # Silence
//
// With a stall limit the run is ended, code STALL, when for so long nothing came:
// no byte of output, no report, and from an agent no line that means something. A
// beat of its stream that means nothing does not count.
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
// A continued run has max_log anew only for what is left of it: the limit is that
// of the file. reports.jsonl is the bot's own; secrets in it are overwritten where
// they stand, by as many asterisks, as soon as they were read.
//
// # Bounds
//
// Whatever a bot prints or reports, the supervisor stays small: lines that are too
// long to be reports are passed over, output is kept up to 1 MiB in all, events of
// progress, cost and output come once a second at most, a question is at most as
// long as a report. The log says what was left out.
//
// A var that is too long for the environment is whole in vars.json alone; the record
// holds its beginning, for it is written often and read by everyone who lists runs.
//
// # What fsync is spent on
//
// Three for a run's folder, two for running, two for the final record, one for
// its event; two more for a question, for a session when it is first known, and
// for each time that a run goes on. Progress, reports, outputs and the log go
// without.
//
// # macOS
//
// There is no subreaper there and no environment of others to read: a child that
// forks twice and opens its own session escapes the end of its run, see package
// proctree, and so do the survivors of a supervisor that was killed. Nothing can be
// watched, pipes keep their size, and the exit of a supervisor is polled for.
package supervise

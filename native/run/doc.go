// Package run holds the contract of a run: its record, its status machine and
// its folder on disk.
//
// # The folder
//
//	runs/<id>/
//	  run.json       the record, always replaced as a whole
//	  .lock          held by the supervisor as long as it lives
//	  events.jsonl   what happened, numbered from 0
//	  run.log        what the bot printed; of an agent command line, what that means
//	  stream.jsonl   what an agent command line printed, as it came
//	  vars.json      the bot's variables
//	  launch.json    how the supervisor is to start the bot
//	  reports.jsonl  what the bot says of itself; only the bot writes here
//	  output.json    the bot's results
//	  intent.json    what somebody asks of the supervisor
//	  interactions/  <id>.json: one question of the bot's each, and its answers
//	  answers.json   the answers to what was asked last, {field: value}
//
// A run folder appears by rename, complete with its record and with its lock
// already taken. Making one that exists fails with ErrExists: that is what makes
// a launch under a known id happen at most once.
//
// # Who owns what
//
// The lock decides who may write run.json, events.jsonl, output.json, answers.json
// and interactions. The launcher takes it before the record exists and hands the
// very same lock to the supervisor, so there is no instant in which a live run has a
// free lock. The supervisor holds it until it exits. A paused run's lock is free: who
// answers, cancels or resumes it takes the lock for that. intent.json belongs to
// whoever asks; it is replaced as a whole, and removed only when the run goes on.
//
//	queued ──► running ──► finished | failed | failed_resumable | cancelled
//	   │          └──────► paused_waiting_human | paused_operator ──► queued
//	   └─► failed | failed_resumable | cancelled    failed_resumable ──► queued
//
// # Pauses
//
// A run that is paused has no process. It is paused_waiting_human when its bot
// asked something and ended well: awaiting names the interaction, and Answered
// tells whether the answers are there, upon which it can be resumed. It is
// paused_operator when somebody stopped it in order to go on later; pause_reason
// says why: operator (a person) or cost_cap_daily (the day's spending reached its
// cap).
//
// A resumed run keeps its id, folder, log and cost. Its bot starts anew with
// ITERION_RESUME=1 and, when there are any, with ITERION_ANSWERS. That file holds
// the answers to the last question alone; those before are in interactions.
//
// # What a crash leaves
//
//   - Launcher, before the rename: a folder in .staging with a free lock. No run
//     exists. The next Create removes it once it is a minute old.
//   - Launcher or supervisor, before the bot started: status queued, lock free.
//     The bot never ran; in a run that was to go on, it did not go on, and that
//     run is failed_resumable again.
//   - Supervisor, while the bot ran: status running, lock free. The bot's
//     processes may live on and must be found before anyone else may start.
//   - Supervisor, after the final record: the outcome event may be missing. The
//     record counts; Dir.EnsureOutcome makes up for the event.
//   - Supervisor, asking: the interaction is written before the record says paused.
//     Without the record it is a question that nobody waits for, and the run ends
//     as one whose supervisor died while the bot ran.
//   - Somebody who answers: answers.json is written first, then the interaction,
//     which is what counts, then the event. Without the interaction the run still
//     waits and can be answered again; without the event it was answered all the
//     same. Answers that replace earlier ones first take those out of the
//     interaction, so that it never tells other answers than the bot is given.
//   - Somebody who resumes: first the intent is cleared, then the record says
//     queued. Before that the run is as it was; after it the run never started and
//     is settled like any other that is queued with a free lock.
//   - Somebody who prunes: a run is moved to .staging/trash as a whole before
//     anything of it is deleted. It is complete or gone; what is left in the trash
//     the next pruning deletes.
//
// Who finds the lock free takes it before changing anything, so that two who
// notice at once do not both write.
//
// A record that cannot be read is named, never dropped: List returns it as Broken
// together with what its lock says.
package run

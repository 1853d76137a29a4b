// Package run holds the contract of a run: its record, its status machine and
// its folder on disk.
//
// # The folder
//
//	runs/<id>/
//	  run.json       the record, always replaced as a whole
//	  .lock          held by the supervisor as long as it lives
//	  events.jsonl   what happened, numbered from 0
//	  run.log        what the bot printed
//	  vars.json      the bot's variables
//	  launch.json    how the supervisor is to start the bot
//	  reports.jsonl  what the bot says of itself; only the bot writes here
//	  output.json    the bot's results
//	  intent.json    what somebody asks of the supervisor
//
// A run folder appears by rename, complete with its record and with its lock
// already taken. Making one that exists fails with ErrExists: that is what makes
// a launch under a known id happen at most once.
//
// # Who owns what
//
// The lock decides who may write run.json, events.jsonl and output.json. The
// launcher takes it before the record exists and hands the very same lock to the
// supervisor, so there is no instant in which a live run has a free lock. The
// supervisor holds it until it exits. intent.json belongs to whoever asks; it is
// replaced as a whole and never removed.
//
//	queued ──► running ──► finished | failed | failed_resumable | cancelled
//	   │          └──────► paused_waiting_human | paused_operator ──► queued
//	   └─► failed | failed_resumable | cancelled    failed_resumable ──► queued
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
//
// Who finds the lock free takes it before changing anything, so that two who
// notice at once do not both write.
//
// A record that cannot be read is named, never dropped: List returns it as Broken
// together with what its lock says.
package run

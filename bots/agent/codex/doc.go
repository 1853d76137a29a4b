// Package codex drives Codex without a terminal and reads its stream. It was
// written against version 0.171.0 of @openai/codex and the lines of
//
//	codex exec --json … - <prompt
//
// # Lines
//
//	thread.started                the session
//	turn.started                  the agent begins
//	item.started, item.updated,
//	item.completed                messages, commands, changes of files, tools, notices
//	error                         a notice, such as a connection that is made again
//	turn.completed, turn.failed   the last word
//
// All other types, of lines and of items, are passed over.
//
// # The last word
//
// A run succeeded with turn.completed. An error on a line of its own ends nothing.
// An interrupted turn has no last word. Tokens are totals of the thread; on one that
// is gone on with they may count on or begin anew. There is no cost.
//
// # Going on
//
//	codex exec [flags] resume ID -
//
// Some flags are refused behind resume, so it goes to the end. A thread that is not
// found may be begun anew without a word, by an agent that does not know its task:
// a thread of another id fails the run.
//
// # Sandbox
//
// Commands of the agent run confined: with -s workspace-write they write in the
// working folder alone. The run's folder is added to that, so that `iterion report`
// works inside.
package codex

// Package agent is the contract between the supervisor and the agent command
// lines that people already have: Claude Code, Codex, Gemini CLI, opencode.
//
// Each of them prints a stream of JSON lines of its own. An Engine reads one such
// stream and nothing else: it starts no process, opens no file and keeps no clock.
//
//	supervisor                                engine
//	argv of the manifest          ──Argv───►  argv, with the session to go on with
//	prompt, answers               ──Prompt─►  text for standard input
//	each line of stdout           ──Read───►  what to show, what it cost, what it is doing
//	each line of stderr           ──Note───►  kept for the verdict
//	exit of the process           ──End────►  verdict
//
// # What is trusted
//
// A run succeeded when its stream ended with the word that says so and the process
// exited with 0: either alone occurs in failed runs of each of the four. Lines that
// are no JSON, types and fields that are not known are passed over; the text of a
// line that is no JSON is shown as it is. A reset time that cannot be read is left
// out, never guessed.
//
// # Failures
//
//	quota      the plan's or the account's allowance is used up; waits for RetryAt
//	transient  overloaded or throttled, or the stream broke off: again after a while
//	permanent  not logged in, no credit, no such model, the bot's own cap reached:
//	           trying again is of no use
//
// # Counting
//
// Costs and tokens are totals of the session so far. A session that is gone on with
// may count on from before or begin anew; an Engine is told the totals at the start
// of its run and reports totals that never fall.
package agent

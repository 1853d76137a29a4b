// Package opencode drives opencode without a terminal and reads its stream. It was
// written against version 1.18.33 of opencode-ai and the lines of
//
//	opencode run --format json … <prompt
//
// # Lines
//
//	step_start     the model is asked
//	text           a part of what the agent says, whole
//	reasoning      likewise, of what it thinks
//	tool_use       a call and its result, together, when it has ended
//	step_finish    costs and tokens of the step, and why it ended
//	error          a request that failed for good
//
// All other types are passed over. Every line carries the session. What a subagent
// says is not printed. Costs and tokens are those of a step, and are summed up.
//
// # The last word
//
// There is none: a run succeeded when its last step ended with reason stop, no
// error came behind it, and the process exited with 0. A step that ended with
// tool-calls is gone on with, one that ended with length was cut off by the model's
// limit.
//
// # Limits
//
// The program waits for a limit to end, for days if the service says so, and prints
// nothing: that is a silent run, which the supervisor's stall limit ends. A limit
// that it does print is told from throttling by its wording and by isRetryable.
package opencode

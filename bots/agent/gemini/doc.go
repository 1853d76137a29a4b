// Package gemini drives Gemini CLI without a terminal and reads its stream. It was
// written against version 0.61.0 of @google/gemini-cli and its output format
// stream-json:
//
//	gemini --output-format stream-json … <prompt
//
// # Lines
//
//	init                      session and model
//	message                   text of the agent, in pieces; the prompt, which is not shown
//	tool_use, tool_result     a call and how it ended
//	error                     a warning, which ends nothing
//	result                    the last word, with tokens
//
// All other types are passed over. Pieces of text are shown in whole lines.
//
// # The last word
//
// A run succeeded with a result of status success. Tokens are those of the process,
// or of the session that is gone on with. There is no cost. A failed login has no
// result: it shows on standard error and in the exit alone, and so does a request
// that the service refused, whose status is cut to eight bits for the exit.
//
// # Limits
//
// Every refused request comes with advice that mentions quota, so the bare word says
// nothing. A limit that resets in minutes or more is a quota, one of seconds is
// throttling.
package gemini

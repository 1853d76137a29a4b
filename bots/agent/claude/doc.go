// Package claude drives Claude Code without a terminal and reads its stream. It
// was written against version 2.1.332 of @anthropic-ai/claude-code and its output
// format stream-json:
//
//	claude -p --output-format stream-json --verbose … <prompt
//
// # Lines
//
//	system init           session, model and version
//	system api_retry      the service is asked again
//	assistant             one block of content: text, thinking, or the use of a tool
//	user                  results of tools, of which the failed ones are shown
//	tool_progress         a tool that takes long is still at work
//	rate_limit_event      where a plan's limit stands, and when it resets
//	result                the last word, with costs; of several the last counts
//
// Lines of a subagent carry parent_tool_use_id and are shown indented. All other
// types and subtypes are passed over.
//
// # The last word
//
// A result is a success when is_error is false: a request that the service refused
// ends with subtype success and is_error true, the reason in result and the status
// in api_error_status. Subtypes error_max_* are limits that the command line set.
// Costs are the program's own estimate; tokens are those of modelUsage, which holds
// subagents too. On a session that is gone on with they may count on or begin anew.
//
// # Limits
//
// A plan's limit and a throttled request both have status 429. The first is told by
// a rate_limit_event of status rejected, which comes with subscriptions alone, or by
// its wording.
package claude

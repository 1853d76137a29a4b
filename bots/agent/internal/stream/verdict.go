package stream

import (
	"fmt"
	"strings"

	"iterion/bots/agent"
)

// Broken is the verdict on a run whose stream ended without its last word, or with
// one that the exit contradicts. last is what the program said last.
func Broken(program string, over bool, e agent.Exit, last string) agent.Verdict {
	when := "before it had finished"
	if over {
		when = "after it had said that it succeeded"
	}
	why := fmt.Sprintf("%s exited with %d %s", program, e.Code, when)
	if e.Signal != "" {
		why = fmt.Sprintf("%s was ended by %s %s", program, e.Signal, when)
	}
	if last != "" {
		why += ": " + last
	}
	return agent.Verdict{Class: agent.Transient, Code: agent.CodeCrashed, Message: Sentence(why)}
}

// Failure is a verdict with a reason that the program gave. The remedy is a
// sentence of ours, or empty.
func Failure(class agent.Class, code, program, reason, remedy string) agent.Verdict {
	message := program + ": " + Sentence(reason)
	if reason == "" {
		message = program + " gave no reason"
	}
	if remedy != "" {
		message = strings.TrimRight(message, ". ") + "; " + remedy
	}
	return agent.Verdict{Class: class, Code: code, Message: message}
}

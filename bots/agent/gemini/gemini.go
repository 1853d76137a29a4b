package gemini

import "iterion/bots/agent"

// New returns the engine of one run.
func New(s agent.Start) agent.Engine { return &engine{start: s} }

type engine struct {
	start agent.Start
}

func (e *engine) Argv(argv []string, session string) []string { return argv }

func (e *engine) Prompt(p agent.Prompt) string { return p.Task }

func (e *engine) Read(line []byte) agent.Said { return agent.Said{Log: string(line)} }

func (e *engine) Note(line []byte) {}

// End trusts nothing yet: no word that ends a stream is known.
func (e *engine) End(exit agent.Exit) agent.Verdict {
	return agent.Verdict{Class: agent.Transient, Code: "CRASHED", Message: "the stream ended without its last word"}
}

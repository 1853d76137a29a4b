package opencode

import (
	"iterion/bots/agent"
	"iterion/bots/agent/internal/stream"
)

func (e *engine) says(p *part) agent.Said {
	text := stream.Text(p.Text)
	if text == "" {
		return agent.Said{}
	}
	if !e.text.Empty() {
		e.text.Add("\n")
	}
	e.text.Add(text)
	return agent.Said{Log: text, Progress: stream.FirstLine(text)}
}

// used shows a call, which is told when it has ended.
func used(p *part) agent.Said {
	call := stream.Call(p.Tool, p.State.Input)
	said := agent.Said{Log: "> " + call, Progress: stream.Line("done: " + call)}
	if p.State.Status == "error" {
		said.Progress = stream.Line("failed: " + call)
		said.Log = stream.Join(said.Log, "! "+said.Progress, stream.Indent(stream.FirstLine(p.State.Error)))
	}
	return said
}

// stepEnds counts a step. Whether it is the last one shows only when none follows.
func (e *engine) stepEnds(p *part) agent.Said {
	e.reason = p.Reason
	said := agent.Said{Over: p.Reason == "stop"}
	t := p.Tokens
	e.meter.Spent(stream.Use{
		USD: p.Cost,
		In:  int64(t.Input + t.Cache.Read + t.Cache.Write),
		Out: int64(t.Output + t.Reasoning),
	})
	e.meter.Tell(&said)
	return said
}

package agent_test

import (
	"testing"

	_ "iterion/bots/agent/claude"
	_ "iterion/bots/agent/codex"
	_ "iterion/bots/agent/gemini"
	"iterion/bots/agent/internal/pattern"
	_ "iterion/bots/agent/opencode"
)

func TestPatternsOfAllEnginesCompile(t *testing.T) {
	if n := pattern.CheckAll(); n < 40 {
		t.Errorf("%d patterns are linked in: some are compiled in another way", n)
	}
}

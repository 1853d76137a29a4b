package codex

import (
	"slices"
	"strings"
	"testing"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/streamtest"
)

const session = "01a22e3e-ad77-7a33-afd0-e89e4f5c7dc1"

func TestStreams(t *testing.T) {
	again := agent.Start{Session: session, TokensIn: 900, TokensOut: 80}
	one := agent.Exit{Code: 1}
	streamtest.Run(t, New, []streamtest.Case{
		{Name: "success"},
		{Name: "success_exit_1", Stream: "success", Exit: one, Stderr: "thread 'main' panicked\n", Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "resume", Start: again},
		{Name: "resume_with_cost", Stream: "resume", Start: agent.Start{Session: session, CostUSD: 0.5, TokensIn: 900, TokensOut: 80}},
		{Name: "resume_counts_anew", Stream: "resume", Start: agent.Start{Session: session, TokensIn: 9000, TokensOut: 800}},
		{Name: "resume_of_another", Stream: "resume", Start: agent.Start{Session: "0b8e7c1e", TokensIn: 900, TokensOut: 80},
			Class: agent.Transient, Code: agent.CodeSession},
		{Name: "resume_of_none", Stream: "empty", Start: again, Exit: one,
			Stderr: "WARNING: proceeding\nError: thread/resume: thread/resume failed: no rollout found for thread id " + session + " (code -32600)\n",
			Class:  agent.Transient, Code: agent.CodeSession},
		{Name: "quota", Exit: one, Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "quota_other_day", Exit: one, Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "credit", Exit: one, Class: agent.Permanent, Code: agent.CodeCredit},
		{Name: "throttle", Exit: one, Class: agent.Transient, Code: agent.CodeThrottled},
		{Name: "auth", Exit: one, Class: agent.Permanent, Code: agent.CodeAuth},
		{Name: "model", Exit: one, Class: agent.Permanent, Code: agent.CodeModel},
		{Name: "failed", Exit: one, Class: agent.Transient, Code: agent.CodeFailed},
		{Name: "failed_exit_0", Stream: "failed", Class: agent.Transient, Code: agent.CodeFailed},
		{Name: "usage", Stream: "empty", Exit: agent.Exit{Code: 2}, Stderr: "error: unexpected argument '--full-auto' found\n\nUsage: codex exec\n",
			Class: agent.Permanent, Code: agent.CodeUsage},
		{Name: "no_repository", Stream: "empty", Exit: one, Stderr: "Not inside a trusted directory and --skip-git-repo-check was not specified.\n",
			Class: agent.Permanent, Code: agent.CodeUsage},
		{Name: "interrupted", Stream: "crash", Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "crash", Exit: agent.Exit{Code: 101}, Stderr: "thread 'main' panicked at x.rs\n", Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "ended", Stream: "crash", Exit: agent.Exit{Code: -1, Signal: "SIGTERM"}, Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "strange"},
	})
}

func TestWordingsOfFailures(t *testing.T) {
	for text, want := range map[string]string{
		"You've hit your usage limit. Try again in 2 days 17 hours.":                        agent.CodeQuota,
		"You've hit your usage limit. To get more access now, send a request to your admin": agent.CodeQuota,
		"You hit your spend cap set by the owner of your workspace.":                        agent.CodeCredit,
		"Quota exceeded. Check your plan and billing details.":                              agent.CodeCredit,
		"Selected model is at capacity. Please try a different model.":                      agent.CodeThrottled,
		"exceeded retry limit, last status: 503 Service Unavailable":                        agent.CodeThrottled,
		"Your access token could not be refreshed because your refresh token was revoked.":  agent.CodeAuth,
		"The model `gpt-99` does not exist or you do not have access to it.":                agent.CodeModel,
		"Codex ran out of room in the model's context window.":                              agent.CodeFailed,
		"exceeded retry limit, last status: 400 Bad Request":                                agent.CodeFailed,
		"disk quota exceeded": agent.CodeFailed,
	} {
		stream := `{"type":"turn.failed","error":{"message":"` + text + `"}}`
		if v := streamtest.Read(New, agent.Start{}, []byte(stream), "").End(agent.Exit{Code: 1}); v.Code != want {
			t.Errorf("%s: %s, want %s", text, v.Code, want)
		}
	}
}

func TestArgvGoesOnWithASession(t *testing.T) {
	for _, tc := range []struct{ argv, session, dir, want string }{
		{"codex exec --json -s read-only -", session, "", "codex exec --json -s read-only resume " + session + " -"},
		{"codex exec --json", session, "", "codex exec --json resume " + session + " -"},
		{"/opt/codex -a never e --json -", session, "", "/opt/codex -a never e --json resume " + session + " -"},
		{"codex exec --json -", "", "", "codex exec --json -"},
		{"codex exec --json -", "--dangerously-bypass-approvals-and-sandbox", "", "codex exec --json -"},
		{"codex exec resume --last -", session, "", "codex exec resume --last -"},
		{"codex --version", session, "/r", "codex --version"},
		{"./run.sh exec -", session, "/r", "./run.sh exec -"},
		{"exec", session, "/r", "exec"},
		{"", session, "/r", ""},
		{"codex exec --json -s workspace-write -", "", "/r", "codex exec --add-dir /r --json -s workspace-write -"},
		{"codex exec --sandbox=workspace-write -", session, "/r", "codex exec --add-dir /r --sandbox=workspace-write resume " + session + " -"},
		{"codex exec -s danger-full-access -", "", "/r", "codex exec -s danger-full-access -"},
		{"codex exec -s", "", "/r", "codex exec -s"},
		{"codex exec -", "", "/r", "codex exec -"},
	} {
		argv := strings.Fields(tc.argv)
		before := slices.Clone(argv)
		if got := strings.Join(New(agent.Start{RunDir: tc.dir}).Argv(argv, tc.session), " "); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.argv, got, tc.want)
		}
		if !slices.Equal(argv, before) {
			t.Errorf("%q was changed", tc.argv)
		}
	}
}

func TestOddValuesDoNoHarm(t *testing.T) { streamtest.Mangle(t, New) }

func FuzzRead(f *testing.F) { streamtest.Fuzz(f, New) }

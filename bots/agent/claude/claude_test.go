package claude

import (
	"slices"
	"strings"
	"testing"
	"time"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/streamtest"
)

const session = "0b8e7c1e-7f0d-4a52-9d3c-5f1c64a0d001"

func TestStreams(t *testing.T) {
	again := agent.Start{Session: session, CostUSD: 0.0421, TokensIn: 1300, TokensOut: 55}
	dearer := agent.Start{Session: session, CostUSD: 0.5, TokensIn: 13000, TokensOut: 550}
	term := agent.Exit{Code: -1, Signal: "SIGTERM"}
	one := agent.Exit{Code: 1}
	streamtest.Run(t, New, []streamtest.Case{
		{Name: "success"},
		{Name: "success_exit_1", Stream: "success", Exit: one, Stderr: "TypeError: x is undefined\n", Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "success_killed", Stream: "success", Exit: agent.Exit{Code: -1, Signal: "SIGKILL"}, Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "resume", Start: again},
		{Name: "resume_counts_anew", Stream: "resume", Start: dearer},
		{Name: "resume_of_none", Stream: "empty", Start: again, Exit: one, Stderr: "No conversation found with session ID: " + session + "\n",
			Class: agent.Transient, Code: agent.CodeSession},
		{Name: "no_session", Start: again, Exit: one, Stderr: "No conversation found with session ID: " + session + "\n",
			Class: agent.Transient, Code: agent.CodeSession},
		{Name: "quota", Exit: one, Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "quota_by_text", Exit: one, Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "quota_without_time", Exit: one, Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "quota_killed", Exit: term, Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "spend_limit", Exit: one, Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "throttle", Exit: one, Class: agent.Transient, Code: agent.CodeThrottled},
		{Name: "throttle_429", Exit: one, Class: agent.Transient, Code: agent.CodeThrottled},
		{Name: "auth", Exit: one, Class: agent.Permanent, Code: agent.CodeAuth},
		{Name: "auth_at_start", Stream: "empty", Exit: one, Stderr: "Invalid API key · Please run /login\n", Class: agent.Permanent, Code: agent.CodeAuth},
		{Name: "credit", Exit: one, Class: agent.Permanent, Code: agent.CodeCredit},
		{Name: "model", Exit: one, Class: agent.Permanent, Code: agent.CodeModel},
		{Name: "cap", Exit: one, Class: agent.Permanent, Code: agent.CodeLimit},
		{Name: "usage", Stream: "empty", Exit: one, Stderr: "error: unknown option '--max-turn'\n(Did you mean --max-turns?)\n", Class: agent.Permanent, Code: agent.CodeUsage},
		{Name: "crash", Exit: agent.Exit{Code: 134}, Stderr: "panic: out of memory\n", Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "crash_exit_0", Stream: "crash", Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "ended", Stream: "crash", Exit: term, Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "error_exit_0", Class: agent.Transient, Code: agent.CodeFailed},
		{Name: "two_results"},
		{Name: "goes_on"},
		{Name: "strange"},
		{Name: "nothing", Stream: "empty", Class: agent.Transient, Code: agent.CodeCrashed},
	})
}

func TestResetTimeOfTheServiceGoesBeforeTheWording(t *testing.T) {
	for resets, want := range map[string]string{
		"1796061600": "2026-11-30T18:00:00Z", // what the service sent
		"0":          "2026-11-30T20:00:00Z", // no time: the wording counts
		"null":       "2026-11-30T20:00:00Z",
		`"soon"`:     "2026-11-30T20:00:00Z",
	} {
		stream := `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":` + resets + `}}
{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You've hit your limit · resets 8pm"}`
		v := streamtest.Read(New, agent.Start{}, []byte(stream), "").End(agent.Exit{Code: 1})
		if got := v.RetryAt.Format(time.RFC3339); v.Class != agent.Quota || got != want {
			t.Errorf("resetsAt %s: %s at %s, want %s", resets, v.Class, got, want)
		}
	}
}

func TestWordingsOfFailures(t *testing.T) {
	for text, want := range map[string]string{
		"You've hit your session limit · resets 3:45pm":                  agent.CodeQuota,
		"You've hit your limit · resets 8pm (Europe/Berlin)":             agent.CodeQuota,
		"5-hour limit reached ∙ resets 2am":                              agent.CodeQuota,
		"Opus limit reached ∙ resets 2am":                                agent.CodeQuota,
		"Claude AI usage limit reached|1796061600":                       agent.CodeQuota,
		"spend limit reached · resets Aug 8 · request an increase":       agent.CodeQuota,
		"You've hit your monthly spend limit. See Usage in Settings":     agent.CodeCredit,
		"You're out of usage credits. See Usage in Settings":             agent.CodeCredit,
		"Credit balance is too low":                                      agent.CodeCredit,
		"Server is temporarily limiting requests (not your usage limit)": agent.CodeThrottled,
		"Request rejected (429)":                                         agent.CodeThrottled,
		"Not logged in · Please run /login":                              agent.CodeAuth,
		"Invalid API key · Fix external API key":                         agent.CodeAuth,
		"Context limit reached · /compact or /clear to continue":         agent.CodeFailed,
		"the test says: rate limits are not limits":                      agent.CodeFailed,
	} {
		stream := `{"type":"result","subtype":"success","is_error":true,"result":"` + text + `"}`
		if v := streamtest.Read(New, agent.Start{}, []byte(stream), "").End(agent.Exit{Code: 1}); v.Code != want {
			t.Errorf("%s: %s, want %s", text, v.Code, want)
		}
	}
}

func TestArgvGoesOnWithASession(t *testing.T) {
	e := New(agent.Start{})
	for _, tc := range []struct{ argv, session, want string }{
		{"claude -p --verbose --allowedTools Edit Read", session, "claude --resume " + session + " -p --verbose --allowedTools Edit Read"},
		{"/opt/bin/claude -p", session, "/opt/bin/claude --resume " + session + " -p"},
		{"claude -p", "", "claude -p"},
		{"claude -p", "--dangerously-skip-permissions", "claude -p"},
		{"claude -p --resume=x", session, "claude -p --resume=x"},
		{"claude -p -c", session, "claude -p -c"},
		{"claude -p --session-id x", session, "claude -p --session-id x"},
		{"./run.sh -p", session, "./run.sh -p"},
		{"/bin/sh -c claude", session, "/bin/sh -c claude"},
		{"", session, ""},
	} {
		argv := strings.Fields(tc.argv)
		before := slices.Clone(argv)
		if got := strings.Join(e.Argv(argv, tc.session), " "); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.argv, got, tc.want)
		}
		if !slices.Equal(argv, before) {
			t.Errorf("%q was changed", tc.argv)
		}
	}
}

func TestAHugeLineIsReadWhole(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 1<<18)
	said := New(agent.Start{}).Read([]byte(`{"type":"assistant","message":{"content":[{"type":"text","text":"` + text + `"}]}}`))
	if said.Log != text || len(said.Progress) > 1000 {
		t.Errorf("%d bytes of log, %d of progress", len(said.Log), len(said.Progress))
	}
}

func TestOddValuesDoNoHarm(t *testing.T) { streamtest.Mangle(t, New) }

func FuzzRead(f *testing.F) { streamtest.Fuzz(f, New) }

package gemini

import (
	"slices"
	"strings"
	"testing"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/streamtest"
)

const session = "5c2f9d0e-1111-4222-8333-444455556666"

func TestStreams(t *testing.T) {
	again := agent.Start{Session: session, TokensIn: 90, TokensOut: 20}
	exit := func(code int) agent.Exit { return agent.Exit{Code: code} }
	help := "Unknown argument: bogus\n" + strings.Repeat("  -x, --flag\n", 60)
	streamtest.Run(t, New, []streamtest.Case{
		{Name: "success"},
		{Name: "success_exit_1", Stream: "success", Exit: exit(1), Stderr: "TypeError: x\n", Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "resume", Start: again}, // counts anew: it is below what was before
		{Name: "resume_counts_on", Stream: "resume", Start: agent.Start{Session: session, TokensIn: 40, TokensOut: 5}},
		{Name: "resume_of_none", Stream: "empty", Start: again, Exit: exit(42), Stderr: "Error resuming session: No previous sessions found for this project.\n",
			Class: agent.Transient, Code: agent.CodeSession},
		{Name: "quota", Exit: exit(173), Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "quota_exit_0", Stream: "quota", Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "quota_daily", Exit: exit(1), Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "quota_on_stderr", Stream: "empty", Exit: exit(173), Stderr: "Attempt 1 failed\nYou have exhausted your daily quota on this model.\nbye\n",
			Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "throttle", Exit: exit(173), Class: agent.Transient, Code: agent.CodeThrottled},
		{Name: "throttle_by_exit", Exit: exit(173), Class: agent.Transient, Code: agent.CodeThrottled},
		{Name: "overloaded_by_exit", Stream: "throttle_by_exit", Exit: exit(247), Class: agent.Transient, Code: agent.CodeThrottled},
		{Name: "bare_word", Stream: "throttle_by_exit", Exit: exit(1), Class: agent.Transient, Code: agent.CodeFailed},
		{Name: "auth", Exit: exit(144), Class: agent.Permanent, Code: agent.CodeAuth},
		{Name: "auth_at_start", Stream: "empty", Exit: exit(41), Stderr: "Please set an Auth method in your /home/a/.gemini/settings.json or specify one of GEMINI_API_KEY\n",
			Class: agent.Permanent, Code: agent.CodeAuth},
		{Name: "auth_by_exit", Stream: "empty", Exit: exit(41), Class: agent.Permanent, Code: agent.CodeAuth},
		{Name: "model", Exit: exit(148), Class: agent.Permanent, Code: agent.CodeModel},
		{Name: "cap", Stream: "cut", Exit: exit(53), Stderr: "Reached max session turns for this session.\n", Class: agent.Permanent, Code: agent.CodeLimit},
		{Name: "usage", Stream: "empty", Exit: exit(1), Stderr: help, Class: agent.Permanent, Code: agent.CodeUsage},
		{Name: "untrusted", Stream: "empty", Exit: exit(55), Stderr: "the folder is not trusted\n", Class: agent.Permanent, Code: agent.CodeUsage},
		{Name: "invalid", Class: agent.Transient, Code: agent.CodeFailed},
		{Name: "crash", Exit: exit(1), Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "cut", Class: agent.Transient, Code: agent.CodeCrashed}, // by SIGTERM, which exits with 0
		{Name: "killed", Stream: "cut", Exit: agent.Exit{Code: -1, Signal: "SIGKILL"}, Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "strange"},
	})
}

func TestResetsInSecondsAreThrottling(t *testing.T) {
	for text, want := range map[string]string{
		"Your quota will reset after 4h28m20s.":        agent.CodeQuota,
		"Your quota will reset after 2m1s.":            agent.CodeQuota,
		"Your quota will reset after 12m":              agent.CodeQuota,
		"Your quota will reset after 42s.":             agent.CodeThrottled,
		"Your quota will reset after 500ms.":           agent.CodeThrottled,
		"Suggested retry after 60s":                    agent.CodeThrottled,
		"Possible quota limitations, check your quota": agent.CodeFailed,
	} {
		stream := `{"type":"result","status":"error","error":{"message":"` + text + `"}}`
		if v := streamtest.Read(New, agent.Start{}, []byte(stream), "").End(agent.Exit{Code: 1}); v.Code != want {
			t.Errorf("%s: %s, want %s", text, v.Code, want)
		}
	}
}

func TestArgvGoesOnWithASession(t *testing.T) {
	e := New(agent.Start{})
	for _, tc := range []struct{ argv, session, want string }{
		{"gemini -o stream-json --allowed-tools a b", session, "gemini --resume " + session + " -o stream-json --allowed-tools a b"},
		{"/opt/gemini", session, "/opt/gemini --resume " + session},
		{"gemini", "", "gemini"},
		{"gemini", "--yolo", "gemini"},
		{"gemini --resume latest", session, "gemini --resume latest"},
		{"gemini --session-id=x", session, "gemini --session-id=x"},
		{"./run.sh", session, "./run.sh"},
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

func TestOddValuesDoNoHarm(t *testing.T) { streamtest.Mangle(t, New) }

func FuzzRead(f *testing.F) { streamtest.Fuzz(f, New) }

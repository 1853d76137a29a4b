package opencode

import (
	"slices"
	"strings"
	"testing"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/streamtest"
)

const session = "ses_dd1b6a487ffeCAkLiIxIxrjEzE"

func TestStreams(t *testing.T) {
	again := agent.Start{Session: session, CostUSD: 0.03, TokensIn: 340, TokensOut: 22}
	one := agent.Exit{Code: 1}
	help := "opencode run [message..]\n\nrun opencode with a message\n" + strings.Repeat("  -x  a flag\n", 60)
	streamtest.Run(t, New, []streamtest.Case{
		{Name: "success"},
		{Name: "success_exit_1", Stream: "success", Exit: one, Stderr: "\x1b[91m\x1b[1mError: \x1b[0mdatabase is locked\n", Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "resume", Start: again},
		{Name: "resume_of_none", Stream: "empty", Start: again, Exit: one, Stderr: "\x1b[91m\x1b[1mError: \x1b[0mSession not found\n",
			Class: agent.Transient, Code: agent.CodeSession},
		{Name: "goes_on", Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "length", Class: agent.Transient, Code: agent.CodeFailed},
		{Name: "quota", Exit: one, Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "quota_by_status", Exit: one, Class: agent.Quota, Code: agent.CodeQuota},
		{Name: "throttle", Exit: one, Class: agent.Transient, Code: agent.CodeThrottled},
		{Name: "overloaded", Exit: one, Class: agent.Transient, Code: agent.CodeThrottled},
		{Name: "auth", Exit: one, Class: agent.Permanent, Code: agent.CodeAuth},
		{Name: "credit", Exit: one, Class: agent.Permanent, Code: agent.CodeCredit},
		{Name: "model", Exit: one, Class: agent.Permanent, Code: agent.CodeModel},
		{Name: "failed", Exit: one, Class: agent.Transient, Code: agent.CodeFailed},
		{Name: "failed_exit_0", Stream: "failed", Class: agent.Transient, Code: agent.CodeFailed},
		{Name: "recovered"},
		{Name: "error_at_end", Class: agent.Transient, Code: agent.CodeFailed},
		{Name: "usage", Stream: "empty", Exit: one, Stderr: help, Class: agent.Permanent, Code: agent.CodeUsage},
		{Name: "crash", Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "ended", Stream: "crash", Exit: agent.Exit{Code: -1, Signal: "SIGTERM"}, Class: agent.Transient, Code: agent.CodeCrashed},
		{Name: "strange"},
		{Name: "nothing", Stream: "empty", Class: agent.Transient, Code: agent.CodeCrashed},
	})
}

func TestArgvGoesOnWithASession(t *testing.T) {
	e := New(agent.Start{})
	for _, tc := range []struct{ argv, session, want string }{
		{"opencode run --format json -f a b", session, "opencode run --session " + session + " --format json -f a b"},
		{"/opt/opencode --pure run", session, "/opt/opencode --pure run --session " + session},
		{"opencode run", "", "opencode run"},
		{"opencode run", "--auto", "opencode run"},
		{"opencode run -c", session, "opencode run -c"},
		{"opencode run --session=x", session, "opencode run --session=x"},
		{"opencode serve", session, "opencode serve"},
		{"run opencode", session, "run opencode"},
		{"./run.sh run", session, "./run.sh run"},
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

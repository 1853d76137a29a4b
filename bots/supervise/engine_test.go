package supervise

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/bots"
	"iterion/native/run"
)

// agentBot is one whose program speaks the fake protocol.
func (b *lab) agentBot(script string, more ...string) bots.Bot {
	b.Helper()
	bot := b.bot(script, more...)
	bot.Manifest.Run.Protocol = fakeProtocol
	return bot
}

// say is a shell command that prints one line of the fake's stream.
func say(fields string) string { return "printf '%s\\n' '{" + fields + "}'\n" }

const wellDone = `"Over":true,"Verdict":{"Result":"all is well"}`

func TestAgentIsReadByItsEngine(t *testing.T) {
	b := newLab(t)
	script := "cat\n" + say(`"Session":"s1","Log":"hello"`) + "echo 'on stderr' >&2\n" +
		say(`"Progress":"thinking","Counted":true,"CostUSD":0.25,"TokensIn":10,"TokensOut":3`) +
		say(`"Counted":true,"CostUSD":0.2`) + say(wellDone)
	rec := b.end(b.agentBot(script), func(s *Spec) { s.Inputs = map[string]string{"prompt": "fix it"} })
	b.want(rec, run.Finished, "")
	if rec.Session != "s1" || rec.CostUSD != 0.25 || rec.TokensIn != 10 || rec.Progress == nil || rec.Progress.Text != "thinking" {
		t.Errorf("record is %+v", rec)
	}
	log := b.log(rec.ID)
	for _, line := range []string{"task fix it, resume false, answers map[], spent 0\n", "hello\n", "on stderr\n"} {
		if !strings.Contains(log, line) {
			t.Errorf("log lacks %q:\n%s", line, log)
		}
	}
	if strings.Contains(log, "Counted") {
		t.Errorf("the stream is in the log:\n%s", log)
	}
	stream, err := os.ReadFile(filepath.Join(b.runs.Path(rec.ID), run.StreamFile))
	b.must(err)
	if n := strings.Count(string(stream), "\n"); n != 5 || strings.Contains(string(stream), "stderr") {
		t.Errorf("stream has %d lines:\n%s", n, stream)
	}
	out, err := b.runs.Output(rec.ID)
	b.must(err)
	if diff := cmp.Diff(map[string]any{"result": "all is well"}, out); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(b.runs.Path(rec.ID), promptFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("prompt: %v, %v", info.Mode(), err)
	}
}

func TestAgentGoesOnWithItsSession(t *testing.T) {
	b := newLab(t)
	script := "cat; echo session $ITERION_SESSION\n" + `if [ -z "$ITERION_ANSWERS" ]; then` + "\n" +
		`echo '{"type":"ask","questions":{"depth":{"type":"number"}}}' >>$ITERION_EVENTS` + "\n" +
		say(`"Session":"s1","Counted":true,"CostUSD":1`) + "fi\n" + say(wellDone)
	rec := b.end(b.agentBot(script), func(s *Spec) { s.Inputs = map[string]string{"prompt": "fix it"} })
	b.want(rec, run.PausedHuman, "")
	b.answer(rec.ID, map[string]any{"depth": 3})
	b.resume(rec.ID)
	rec = b.await(rec.ID)
	b.want(rec, run.Finished, "")
	for _, line := range []string{"task fix it, resume true, answers map[depth:3], spent 1\n", "session s1\n"} {
		if !strings.Contains(b.log(rec.ID), line) {
			t.Errorf("log lacks %q:\n%s", line, b.log(rec.ID))
		}
	}
	if rec.CostUSD != 1 {
		t.Errorf("cost is $%g", rec.CostUSD)
	}
}

func TestSessionIsSavedAsSoonAsItIsKnown(t *testing.T) {
	b := newLab(t)
	id := b.start(b.agentBot(say(`"Progress":"a"`) + "sleep 0.3\n" + say(`"Session":"s1"`) + "sleep 600"))
	b.eventually("session", func() bool {
		rec, err := b.runs.Get(id)
		return err == nil && rec.Session == "s1"
	})
}

func TestVerdictOfAnAgent(t *testing.T) {
	b := newLab(t)
	fail := func(class, code string) string {
		return say(fmt.Sprintf(`"Over":true,"Verdict":{"Class":%q,"Code":%q,"Message":"so it is","RetryAt":"2031-05-06T07:08:09Z"}`, class, code))
	}
	ownResult := `echo '{"type":"output","data":{"result":"mine"}}' >>$ITERION_EVENTS` + "\n"
	for name, c := range map[string]struct {
		script string
		status run.Status
		code   string
		class  string
		result any
	}{
		"quota":             {fail("quota", "LIMIT") + "exit 0", run.FailedResumable, run.CodeQuota, run.ClassQuota, nil},
		"throttled":         {fail("transient", "THROTTLED"), run.FailedResumable, "THROTTLED", run.ClassTransient, nil},
		"no login":          {fail("permanent", "AUTH"), run.Failed, "AUTH", run.ClassPermanent, nil},
		"no name":           {fail("permanent", ""), run.Failed, run.CodePermanent, run.ClassPermanent, nil},
		"success, exit 1":   {say(wellDone) + "exit 1", run.FailedResumable, "CRASHED", run.ClassTransient, nil},
		"silent success":    {"exit 0", run.FailedResumable, "CRASHED", run.ClassTransient, nil},
		"killed":            {say(wellDone) + "kill -KILL $$", run.FailedResumable, "CRASHED", run.ClassTransient, nil},
		"reports failure":   {say(wellDone) + `echo '{"type":"fail","code":"MINE"}' >>$ITERION_EVENTS`, run.FailedResumable, "MINE", "", "all is well"},
		"result of its own": {ownResult + say(wellDone), run.Finished, "", "", "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := b.end(b.agentBot(c.script, "resume: true"))
			b.want(rec, c.status, c.code)
			if rec.FailureClass != c.class || (rec.FailureClass == run.ClassQuota && !rec.RetryAt.Equal(quotaReset)) {
				t.Errorf("class %q, retry at %s", rec.FailureClass, rec.RetryAt)
			}
			out, err := b.runs.Output(rec.ID)
			if err != nil || out["result"] != c.result {
				t.Errorf("output %v, %v", out, err)
			}
		})
	}
}

func TestAgentThatDoesNotExitIsEndedAndBelieved(t *testing.T) {
	b := newLab(t)
	b.l.linger = 300 * time.Millisecond
	for name, c := range map[string]struct {
		script string
		status run.Status
	}{
		"success": {say(wellDone) + "sleep 600", run.Finished},
		"failure": {say(`"Over":true,"Verdict":{"Class":"permanent","Code":"AUTH"}`) + "sleep 600", run.Failed},
		"goes on": {say(`"Over":true`) + "sleep 0.2\n" + say(`"Log":"more"`) + "sleep 0.2\n" + say(wellDone) + "sleep 600", run.Finished},
	} {
		t.Run(name, func(t *testing.T) {
			rec := b.end(b.agentBot(c.script))
			if rec.Status != c.status || !strings.Contains(b.log(rec.ID), "did not exit within 300ms of its last word") {
				t.Errorf("run is %s, code %q (%s):\n%s", rec.Status, rec.FailureCode, rec.Error, b.log(rec.ID))
			}
			if left := b.processes(rec.ID); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestHeartbeatsOfAnAgentAreNoSignOfLife(t *testing.T) {
	b := newLab(t)
	beats := "while :; do echo '{}'; sleep 0.05; done"
	b.want(b.end(b.agentBot(beats), func(s *Spec) { s.Stall = 500 * time.Millisecond }), run.Failed, run.CodeStall)
}

func TestEndOfStderrReachesTheEngine(t *testing.T) {
	b := newLab(t)
	rec := b.end(b.agentBot("head -c 3000000 /dev/zero | tr '\\0' 'x' >&2; echo >&2; echo no login >&2"))
	if !strings.HasSuffix(rec.Error, "stderr: no login") {
		t.Errorf("error is %.200q", rec.Error)
	}
}

func TestEnvironmentOfAnAgent(t *testing.T) {
	t.Setenv("CLAUDECODE", "1")
	t.Setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
	t.Setenv("CLAUDE_CODE_OAUTH_TOKEN", "asked-for-token")
	t.Setenv("TZ", "Europe/Berlin")
	b := newLab(t)
	env := func(bot bots.Bot) string {
		b.want(b.end(bot), run.Finished, "")
		data, err := os.ReadFile(b.path("env"))
		b.must(err)
		return "\n" + string(data)
	}
	script := "env >" + b.path("env") + "\n" + say(wellDone)
	got := env(b.agentBot(script, "pass_env: [CLAUDE_CODE_OAUTH_TOKEN]"))
	if strings.Contains(got, "CLAUDECODE") || strings.Contains(got, "ENTRYPOINT") ||
		!strings.Contains(got, "\nCLAUDE_CODE_OAUTH_TOKEN=asked-for-token\n") || !strings.Contains(got, "\nTZ=UTC\n") {
		t.Errorf("environment of an agent is%s", got)
	}
	if got := env(b.agentBot(script, "env: {TZ: Asia/Tokyo}")); !strings.Contains(got, "\nTZ=Asia/Tokyo\n") {
		t.Errorf("a manifest that names a zone has no say:%s", got)
	}
	if got := env(b.bot(script)); !strings.Contains(got, "\nTZ=Europe/Berlin\n") {
		t.Errorf("the zone of other bots was changed:%s", got)
	}
}

func TestMissingAgentIsNamed(t *testing.T) {
	b := newLab(t)
	bot := b.bundle("gone", `command: ["no-such-agent"]`)
	bot.Manifest.Run.Protocol = fakeProtocol
	if rec := b.end(bot); rec.FailureCode != run.CodeLaunchFailed || !strings.Contains(rec.Error, "no-such-agent") {
		t.Errorf("run is %s, %q", rec.FailureCode, rec.Error)
	}
}

func TestCommandOfAnAgentIsGivenItsSession(t *testing.T) {
	b := newLab(t)
	bot := b.bundle("argv", `command: ["./agent", "-p"]`)
	bot.Manifest.Run.Protocol, bot.Manifest.Run.Resume = fakeProtocol, true
	b.must(os.WriteFile(filepath.Join(bot.Dir, "agent"), []byte("#!/bin/sh\necho \"args $*\"\n"+say(`"Session":"s1"`)+"exit 3\n"), 0o700))
	rec := b.end(bot)
	b.resume(rec.ID)
	b.await(rec.ID)
	if log := b.log(rec.ID); !strings.Contains(log, "args -p\n") || !strings.Contains(log, "args -p --resume s1\n") {
		t.Errorf("log is %q", log)
	}
}

package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"iterion/bots"
	"iterion/native/run"
)

func TestRunFinishes(t *testing.T) {
	b := newLab(t)
	rec := b.end(b.bot("echo out; echo err >&2; echo $ITERION_VAR_TOPIC"), func(s *Spec) {
		s.Inputs = map[string]string{"topic": "bees"}
		s.Attempt = 2
	})
	b.want(rec, run.Finished, "")
	if got := b.log(rec.ID); got != "out\nerr\nbees\n" {
		t.Errorf("log is %q", got)
	}
	if rec.ExitCode == nil || *rec.ExitCode != 0 || rec.OutcomeSeq != 1 || rec.Attempt != 2 || rec.BotVersion != "1.2.3" {
		t.Errorf("record is %+v", rec)
	}
	if rec.StartedAt.Before(rec.CreatedAt) || rec.FinishedAt.Before(rec.StartedAt) || rec.Owner == nil {
		t.Errorf("times or owner are wrong: %+v", rec)
	}
	b.wantEvents(rec.ID, run.EventStarted, run.EventFinished)
	b.eventually("lock let go", func() bool { held, err := b.runs.Locked(rec.ID); return err == nil && !held })
	if _, err := os.Stat(filepath.Join(b.runs.Path(rec.ID), supervisorLog)); !os.IsNotExist(err) {
		t.Errorf("the empty supervisor log is still there: %v", err)
	}
}

func (b *lab) wantEvents(id string, want ...run.EventType) {
	b.Helper()
	var got []run.EventType
	b.eventually("outcome event", func() bool {
		events, err := b.runs.Events(id, -1)
		b.must(err)
		got = nil
		for i, e := range events {
			got = append(got, e.Type)
			if e.Seq != int64(i) || e.RunID != id {
				b.Errorf("event %d is %+v", i, e)
			}
		}
		return len(got) >= len(want)
	})
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestExitDecides(t *testing.T) {
	b := newLab(t)
	for name, c := range map[string]struct {
		script, resume string
		status         run.Status
		code           string
	}{
		"plain":           {"exit 3", "", run.Failed, run.CodeExit},
		"plain resumable": {"exit 3", "resume: true", run.FailedResumable, run.CodeExit},
		"transient":       {"exit 75", "", run.Failed, run.CodeTransient},
		"config":          {"exit 78", "resume: true", run.Failed, run.CodePermanent},
		"usage":           {"exit 64", "", run.Failed, run.CodePermanent},
		"signal":          {"kill -KILL $$", "", run.Failed, run.CodeSignal},
		"report": {`echo '{"type":"fail","class":"permanent","code":"NO_REPO","message":"no repository"}' >>$ITERION_EVENTS; exit 1`,
			"resume: true", run.Failed, "NO_REPO"},
		"report and exit 0": {`printf '{"type":"fail","class":"transient","message":"later"}' >>$ITERION_EVENTS`,
			"resume: true", run.FailedResumable, run.CodeTransient},
	} {
		t.Run(name, func(t *testing.T) {
			more := []string{}
			if c.resume != "" {
				more = append(more, c.resume)
			}
			rec := b.end(b.bot(c.script, more...))
			if rec.Status != c.status || rec.FailureCode != c.code || rec.Error == "" {
				t.Errorf("run is %s, code %q, error %q", rec.Status, rec.FailureCode, rec.Error)
			}
			if name == "signal" && rec.Signal != "SIGKILL" {
				t.Errorf("signal is %q", rec.Signal)
			}
		})
	}
}

func TestLaunchFailureIsAFailedRun(t *testing.T) {
	b := newLab(t)
	notExecutable := b.bundle("plainfile", `command: ["./run.sh"]`)
	b.must(os.WriteFile(filepath.Join(notExecutable.Dir, "run.sh"), []byte("#!/bin/sh\n"), 0o600))
	badInterpreter := b.bundle("badinterpreter", `command: ["./run.sh"]`)
	b.must(os.WriteFile(filepath.Join(badInterpreter.Dir, "run.sh"), []byte("#!/no/such/shell\n"), 0o700))
	for name, c := range map[string]struct {
		bot     bots.Bot
		workdir string
		says    string
	}{
		"no run block":      {b.bundle("norun", ""), "", "no run: block"},
		"no such program":   {b.bundle("nosuch", `command: ["no-such-program-anywhere"]`), "", "not found on PATH"},
		"no such file":      {b.bundle("nofile", `command: ["./run.sh"]`), "", "run.sh"},
		"not executable":    {notExecutable, "", "not executable"},
		"bad interpreter":   {badInterpreter, "", "interpreter"},
		"no working folder": {b.bot("true"), b.path("nowhere"), "does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := b.end(c.bot, func(s *Spec) { s.Workdir = c.workdir })
			if rec.Status != run.Failed || rec.FailureCode != run.CodeLaunchFailed || !strings.Contains(rec.Error, c.says) {
				t.Errorf("run is %s, code %q, error %q", rec.Status, rec.FailureCode, rec.Error)
			}
			b.wantOutcomeEvents(rec.ID, 1)
		})
	}
}

func (b *lab) wantOutcomeEvents(id string, want int) {
	b.Helper()
	count := func() (n int) {
		events, err := b.runs.Events(id, -1)
		b.must(err)
		for _, e := range events {
			if _, ok := e.Data["outcome_seq"]; ok {
				n++
			}
		}
		return n
	}
	b.eventually("outcome event", func() bool { return count() >= want })
	if n := count(); n != want {
		b.Errorf("%d outcome events, want %d", n, want)
	}
}

func TestLaunchingTwiceMakesOneRun(t *testing.T) {
	b := newLab(t)
	bot := b.bot("echo once")
	id := b.start(bot)
	_, err := b.l.Start(context.Background(), Spec{RunID: id, Bot: bot})
	if err == nil || !strings.Contains(err.Error(), run.ErrExists.Error()) {
		t.Errorf("second launch: %v", err)
	}
	b.want(b.await(id), run.Finished, "")
	if got := b.log(id); got != "once\n" {
		t.Errorf("log is %q", got)
	}
}

func TestEmbeddedBotRunsFromTheRunsFolder(t *testing.T) {
	b := newLab(t)
	b.must(os.Mkdir(b.path("bin"), 0o700)) // a stand-in for the program that the bot calls
	b.must(os.WriteFile(b.path("bin/iterion"), []byte("#!/bin/sh\n"), 0o700))
	t.Setenv("PATH", b.path("bin")+":"+os.Getenv("PATH"))
	bot, err := bots.NewRegistry(nil).Resolve("hello")
	b.must(err)
	inputs, err := bot.Manifest.ResolveVars(nil)
	b.must(err)
	rec := b.end(bot, func(s *Spec) { s.Inputs = inputs })
	b.want(rec, run.Finished, "")
	if !strings.HasPrefix(rec.BundlePath, b.runs.Path(rec.ID)) {
		t.Errorf("bundle is %s", rec.BundlePath)
	}
}

func TestTimeoutEndsARunThatIgnoresTERM(t *testing.T) {
	b := newLab(t)
	bot := b.bot("trap '' TERM; echo deaf; while :; do sleep 1; done", "timeout: 200ms", "resume: true")
	rec := b.end(bot)
	b.want(rec, run.FailedResumable, run.CodeTimeout)
	if rec.Signal != "SIGKILL" {
		t.Errorf("signal is %q", rec.Signal)
	}
	if left := b.processes(rec.ID); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestSpecTimeoutOverridesTheManifest(t *testing.T) {
	b := newLab(t)
	rec := b.end(b.bot("sleep 600", "timeout: 1h"), func(s *Spec) { s.Timeout = 100 * time.Millisecond })
	b.want(rec, run.Failed, run.CodeTimeout)
}

func TestI10_DoubleForkedSleepIsGoneWhenFinished(t *testing.T) {
	b := newLab(t)
	rec := b.end(b.bot("(setsid sleep 600 </dev/null >/dev/null 2>&1 &)\n(setsid sh -c 'trap \"\" TERM; sleep 600; sleep 600' &)\n(env -i setsid sleep 601 &)"))
	b.want(rec, run.Finished, "")
	if left := b.processes(rec.ID); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestGrandchildHoldingThePipeDoesNotHangTheRun(t *testing.T) {
	b := newLab(t)
	start := time.Now()
	rec := b.end(b.bot("sleep 600 &\necho bye"))
	b.want(rec, run.Finished, "")
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
	if got := b.log(rec.ID); got != "bye\n" {
		t.Errorf("log is %q", got)
	}
}

func TestCancelAndStop(t *testing.T) {
	b := newLab(t)
	for name, c := range map[string]struct {
		in     run.Intent
		status run.Status
		code   string
		says   string
	}{
		"cancel": {run.Intent{Verb: run.VerbCancel, By: "ana", Note: "wrong branch"}, run.Cancelled, "", "cancelled by ana: wrong branch"},
		"stop":   {run.Intent{Verb: run.VerbStop, By: "daemon"}, run.FailedResumable, run.CodeInterrupted, "stopped by daemon"},
	} {
		t.Run(name, func(t *testing.T) {
			id := b.start(b.bot("touch "+b.path(name)+"; sleep 600", "resume: true"))
			b.eventually("bot started", b.exists(name))
			b.must(RequestStop(b.runs, id, c.in))
			rec := b.await(id)
			if rec.Status != c.status || rec.FailureCode != c.code || rec.Error != c.says {
				t.Errorf("run is %s, code %q, error %q", rec.Status, rec.FailureCode, rec.Error)
			}
			b.must(RequestStop(b.runs, id, run.Intent{Verb: run.VerbCancel})) // changes nothing
		})
	}
}

func TestSignalToTheSupervisorStopsTheRunCleanly(t *testing.T) {
	b := newLab(t)
	id, p := b.launch(b.bot("touch " + b.path("up") + "; sleep 600"))
	b.eventually("bot started", b.exists("up"))
	b.must(unix.Kill(p.PID, unix.SIGTERM))
	b.want(b.await(id), run.Failed, run.CodeInterrupted)
}

func TestEnvironmentIsAnAllowList(t *testing.T) {
	t.Setenv("CANARY", "do-not-sing")
	t.Setenv("WANTED_KEY", "let-through")
	t.Setenv("LC_SING", "yes")
	t.Setenv("https_proxy", "http://proxy.example")
	b := newLab(t)
	rec := b.end(b.bot("env >"+b.path("env")+"; ls -l /proc/self/fd >"+b.path("fds"), "pass_env: [WANTED_KEY]", "env: {FOO: bar}"),
		func(s *Spec) {
			s.Source = run.Source{Kind: run.SourceIssue, IssueID: "native:1"}
			s.Env = map[string]string{"ITERION_CLAIM_EPOCH": "7"}
			s.Inputs = map[string]string{"a-b": "c", "big": strings.Repeat("x", 200<<10)}
		})
	b.want(rec, run.Finished, "")
	data, err := os.ReadFile(b.path("env"))
	b.must(err)
	env := strings.Split(string(data), "\n")
	for _, want := range []string{"WANTED_KEY=let-through", "LC_SING=yes", "https_proxy=http://proxy.example", "FOO=bar",
		"ITERION_ISSUE_ID=native:1", "ITERION_CLAIM_EPOCH=7", "ITERION_VAR_A_B=c", "ITERION_RUN_ID=" + rec.ID,
		"ITERION_RESUME=0", "ITERION_ATTEMPT=1", "ITERION_STORE_DIR=" + b.root} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(string(data), "CANARY") || strings.Contains(string(data), "ITERION_VAR_BIG") {
		t.Errorf("too much got through:\n%.2000s", data)
	}
	fds, err := os.ReadFile(b.path("fds"))
	b.must(err)
	if strings.Contains(string(fds), ".lock") {
		t.Errorf("the bot inherited a lock:\n%s", fds)
	}
}

func TestI11_SecretsStayOutOfTheRunsFolder(t *testing.T) {
	t.Setenv("API_KEY", `s3cret"quoted-value`)
	b := newLab(t)
	script := `for part in 's3c' 'ret"quo' 'ted-value'; do printf "$part"; sleep 0.05; done; echo
printf '%s\n' '{"type":"output","data":{"k s3cret\"quoted-value":["s3cret\"quoted-value"]}}' >>$ITERION_EVENTS
printf '%s\n' '{"type":"progress","text":"using s3cret\"quoted-value"}' >>$ITERION_EVENTS
printf '%s\n' '{"type":"fail","message":"bad key s3cret\"quoted-value"}' >>$ITERION_EVENTS`
	rec := b.end(b.bot(script, "pass_env: [API_KEY]"))
	b.want(rec, run.Failed, run.CodeExit)
	files, err := os.ReadDir(b.runs.Path(rec.ID))
	b.must(err)
	for _, f := range files {
		if f.Name() == planFile {
			continue // it holds the script, which is the bundle's own text
		}
		data, err := os.ReadFile(filepath.Join(b.runs.Path(rec.ID), f.Name()))
		b.must(err)
		if strings.Contains(string(data), "quoted-value") {
			t.Errorf("%s holds the secret:\n%s", f.Name(), data)
		}
	}
	if got := b.log(rec.ID); got != blot+"\n" {
		t.Errorf("log is %q", got)
	}
}

func TestI11_SupervisorHoldsNoSecretThatItsBotDidNotAskFor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the environment of a parent")
	}
	t.Setenv("NOT_ASKED_FOR", "canary-not-asked")
	t.Setenv("ASKED_FOR", "canary-asked")
	b := newLab(t)
	rec := b.end(b.bot("tr '\\0' '\\n' </proc/$PPID/environ | sed 's/^/parent: /'", "pass_env: [ASKED_FOR]"))
	b.want(rec, run.Finished, "")
	log := b.log(rec.ID)
	if strings.Contains(log, "NOT_ASKED_FOR") || !strings.Contains(log, "parent: ASKED_FOR="+blot) {
		t.Errorf("the bot reads of its parent:\n%s", log)
	}
}

func TestReportsArriveFromFileAndStdout(t *testing.T) {
	b := newLab(t)
	script := `echo '{"type":"progress","text":"half","percent":150}'
echo '{"type":"output","data":{"a":1,"b":"x"}}'
echo 'no report {'
echo '{"type":"mood","usd":0.1}'; echo '{"type":"mood","usd":0.1}'
echo 'on stderr {"type":"fail"}' >&2
echo '{"type":"output","data":{"c":"y"}}' >>$ITERION_EVENTS`
	rec := b.end(b.bot(script, "protocol: jsonl"))
	b.want(rec, run.Finished, "")
	if rec.Progress == nil || rec.Progress.Text != "half" || *rec.Progress.Percent != 100 {
		t.Errorf("progress is %+v", rec.Progress)
	}
	out, err := b.runs.Output(rec.ID)
	b.must(err)
	if diff := cmp.Diff(map[string]any{"a": json.Number("1"), "b": "x", "c": "y"}, out); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if n := strings.Count(b.log(rec.ID), `"mood" is not understood`); n != 1 {
		t.Errorf("the unknown type is noted %d times", n)
	}
}

func TestProgressShowsWhileTheBotRuns(t *testing.T) {
	b := newLab(t)
	id := b.start(b.bot(`echo '{"type":"progress","text":"working"}' >>$ITERION_EVENTS; sleep 600`))
	b.eventually("progress", func() bool {
		rec, err := b.runs.Get(id)
		return err == nil && rec.Progress != nil && rec.Progress.Text == "working"
	})
}

func TestLargeOutputIsCutAndKeepsItsEnd(t *testing.T) {
	b := newLab(t)
	script := "head -c 20000000 /dev/zero | tr '\\0' 'x'\necho\nhead -c 1000000 /dev/urandom\necho\necho the last words"
	rec := b.end(b.bot(script, "max_log: 1MiB"))
	b.want(rec, run.Finished, "")
	log := b.log(rec.ID)
	if len(log) > 1<<20+tailKept+1024 || !strings.HasSuffix(log, "the last words\n") {
		t.Errorf("log has %d bytes and ends in %q", len(log), log[len(log)-30:])
	}
	for _, mark := range []string{"[iterion: the log reached its limit of 1048576 bytes", "bytes left out]"} {
		if !strings.Contains(log, mark) {
			t.Errorf("no mark %q", mark)
		}
	}
	b.wantEvents(rec.ID, run.EventStarted, run.EventLogTruncated, run.EventFinished)
}

func TestBotThatClosesItsOutputRunsOn(t *testing.T) {
	b := newLab(t)
	rec := b.end(b.bot("exec >&- 2>&-; sleep 0.3; touch " + b.path("late")))
	b.want(rec, run.Finished, "")
	if !b.exists("late")() {
		t.Error("the run ended before its bot")
	}
}

func TestProtocolThatIsNotKnownIsRefused(t *testing.T) {
	b := newLab(t)
	bot := b.bot("true")
	bot.Manifest.Run.Protocol = "martian"
	b.want(b.end(bot), run.Failed, run.CodeLaunchFailed)
}

func TestSupervisorHoldsNothingThatItsLauncherInherited(t *testing.T) {
	b := newLab(t)
	var stray [2]int
	b.must(unix.Pipe(stray[:])) // not close-on-exec, as a shell hands it down
	from := os.NewFile(uintptr(stray[0]), "stray")
	defer from.Close()
	id := b.start(b.bot("touch " + b.path("up") + "; sleep 600"))
	b.must(unix.Close(stray[1]))
	b.eventually("bot started", b.exists("up"))
	ended := make(chan error, 1)
	go func() { _, err := from.Read(make([]byte, 1)); ended <- err }()
	select {
	case err := <-ended:
		if !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("somebody of the run holds the pipe open")
	}
	if rec, err := b.runs.Get(id); err != nil || rec.Status != run.Running {
		t.Errorf("run is %s, %v", rec.Status, err)
	}
}

func TestFailReportSaysWhenToTryAgain(t *testing.T) {
	b := newLab(t)
	later := b.end(b.bot(`echo '{"type":"fail","class":"transient","retry_at":"2031-05-06T07:08:09+02:00","message":"busy"}' >>$ITERION_EVENTS; exit 75`))
	b.want(later, run.Failed, run.CodeTransient)
	if want := time.Date(2031, 5, 6, 5, 8, 9, 0, time.UTC); !later.RetryAt.Equal(want) {
		t.Errorf("retry at %s, want %s", later.RetryAt, want)
	}
	soon := b.end(b.bot(`echo '{"type":"fail","class":"permanent","retry_at":"soon","message":"never"}' >>$ITERION_EVENTS`))
	b.want(soon, run.Failed, run.CodePermanent)
	if !soon.RetryAt.IsZero() || !strings.Contains(b.log(soon.ID), `"soon" is no time`) {
		t.Errorf("retry at %s, log %q", soon.RetryAt, b.log(soon.ID))
	}
}

package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"iterion/native/filelock"
	"iterion/native/run"
)

const asks = `if [ -z "$ITERION_ANSWERS" ]; then
	echo first life
	echo '{"type":"ask","questions":{"question":"Ship it?","choices":["yes","no"]}}' >>$ITERION_EVENTS
	exit 0
fi
echo "second life $ITERION_RESUME $ITERION_ATTEMPT $(tr -d ' \n' <$ITERION_ANSWERS)"`

func (b *lab) answer(id string, values map[string]any) {
	b.Helper()
	_, err := b.runs.Answer(context.Background(), id, values, "ana")
	b.must(err)
}

func TestBotThatAsksIsAnsweredAndGoesOn(t *testing.T) {
	b := newLab(t)
	rec := b.end(b.bot(asks)) // resume: true is not needed for this
	b.want(rec, run.PausedHuman, "")
	if rec.Awaiting == nil || !strings.Contains(string(rec.Awaiting.Questions), "Ship it?") {
		t.Fatalf("awaiting %+v", rec.Awaiting)
	}
	b.refuses(rec.ID, ErrUnanswered)
	b.answer(rec.ID, map[string]any{"answer": "yes"})
	b.resume(rec.ID, func(c *Continue) { c.Attempt = 3 })
	rec = b.await(rec.ID)
	b.want(rec, run.Finished, "")
	if rec.Awaiting != nil || rec.OutcomeSeq != 1 {
		t.Errorf("record is %+v", rec)
	}
	want := "first life\n[iterion: the run goes on, resumed by ana]\nsecond life 1 3 {\"answer\":\"yes\"}\n"
	if diff := cmp.Diff(want, b.log(rec.ID)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	b.wantEvents(rec.ID, run.EventStarted, run.EventAsked, run.EventPaused, run.EventAnswered,
		run.EventResumed, run.EventStarted, run.EventFinished)
}

func TestQuestionCountsOnlyAtASuccessfulEnd(t *testing.T) {
	b := newLab(t)
	ask := `echo '{"type":"ask","questions":"%s?"}' >>$ITERION_EVENTS` + "\n"
	say := func(what string) string { return strings.ReplaceAll(ask, "%s", what) }
	for name, c := range map[string]struct {
		script string
		status run.Status
		code   string
		asks   string
		log    string
	}{
		"fails":       {say("Which") + "exit 3", run.Failed, run.CodeExit, "", ""},
		"works on":    {say("Which") + "sleep 0.2; echo done", run.PausedHuman, "", "Which?", "done"},
		"asks twice":  {say("First") + say("Second"), run.PausedHuman, "", "Second?", "only its last question counts"},
		"nonsense":    {`echo '{"type":"ask","questions":[1]}' >>$ITERION_EVENTS`, run.Failed, codeBadQuestion, "", "question cannot be read"},
		"asks nought": {`echo '{"type":"ask"}' >>$ITERION_EVENTS`, run.Failed, codeBadQuestion, "", "question cannot be read"},
		"repairs it":  {`echo '{"type":"ask"}' >>$ITERION_EVENTS` + "\n" + say("Well"), run.PausedHuman, "", "Well?", ""},
		"too long": {`printf '{"type":"ask","questions":"%070000d"}' 1 >>$ITERION_EVENTS`,
			run.Failed, codeBadQuestion, "", "longer than 65536 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := b.end(b.bot(c.script))
			b.want(rec, c.status, c.code)
			in, err := b.runs.Pending(rec)
			if (err == nil) != (c.asks != "") || in.Questions.Question != c.asks {
				t.Errorf("asks %q, %v; want %q", in.Questions.Question, err, c.asks)
			}
			if c.log != "" && !strings.Contains(b.log(rec.ID), c.log) {
				t.Errorf("log is %q", b.log(rec.ID))
			}
		})
	}
}

// working is a bot that goes on where it was: it counts its lives.
func (b *lab) working() string {
	return "echo life $ITERION_RESUME; touch " + b.path("up") + "; [ $ITERION_RESUME = 1 ] || sleep 600"
}

func TestPausedRunGoesOn(t *testing.T) {
	b := newLab(t)
	id := b.start(b.bot(b.working(), "resume: true"))
	b.eventually("bot started", b.exists("up"))
	b.must(RequestStop(b.runs, id, run.Intent{Verb: run.VerbPause, By: "ana"}))
	rec := b.await(id)
	if rec.Status != run.PausedOperator || rec.PauseReason != run.PauseOperator || rec.Error != "paused by ana" {
		t.Errorf("run is %+v", rec)
	}
	if left := b.processes(id); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	b.must(RequestStop(b.runs, id, run.Intent{Verb: run.VerbPause})) // changes nothing
	b.resume(id)
	b.want(b.await(id), run.Finished, "")
	if want, got := "life 0\n[iterion: the run goes on, resumed by ana]\nlife 1\n", b.log(id); got != want {
		t.Errorf("log is %q", got)
	}
	b.wantEvents(id, run.EventStarted, run.EventPaused, run.EventResumed, run.EventStarted, run.EventFinished)
}

func TestReasonOfAPauseIsItsNote(t *testing.T) {
	b := newLab(t)
	id := b.start(b.bot(b.working(), "resume: true"))
	b.eventually("bot started", b.exists("up"))
	b.must(RequestStop(b.runs, id, run.Intent{Verb: run.VerbPause, By: "daemon", Note: run.PauseCostCap}))
	if rec := b.await(id); rec.PauseReason != run.PauseCostCap || !strings.Contains(rec.Error, "cap") {
		t.Errorf("run is %+v", rec)
	}
}

func TestRunThatIsPausedBeforeItsBotStarted(t *testing.T) {
	b := newLab(t)
	slow := b.path("slow")
	exe, err := os.Executable()
	b.must(err)
	b.must(os.WriteFile(slow, []byte("#!/bin/sh\nwhile [ ! -e "+b.path("go")+" ]; do sleep 0.02; done\nexec "+exe+" \"$@\"\n"), 0o700))
	b.l.Exe = slow
	id := b.start(b.bot(b.working(), "resume: true"))
	b.must(RequestStop(b.runs, id, run.Intent{Verb: run.VerbPause, By: "ana"}))
	b.must(os.WriteFile(b.path("go"), nil, 0o600))
	b.want(b.await(id), run.PausedOperator, "")
	if b.exists("up")() {
		t.Error("the bot ran")
	}
	b.resume(id)
	b.want(b.await(id), run.Finished, "")
}

func TestBotThatCannotGoOnIsNotPaused(t *testing.T) {
	b := newLab(t)
	id := b.start(b.bot(b.working()))
	b.eventually("bot started", b.exists("up"))
	if err := RequestStop(b.runs, id, run.Intent{Verb: run.VerbPause}); !errors.Is(err, ErrNotResumable) {
		t.Errorf("pause: %v", err)
	}
	b.must(b.runs.SetIntent(id, run.Intent{Verb: run.VerbPause})) // past the check
	b.eventually("the supervisor complains", func() bool {
		said, _ := os.ReadFile(filepath.Join(b.runs.Path(id), supervisorLog))
		return strings.Contains(string(said), ErrNotResumable.Error())
	})
	if rec, err := b.runs.Get(id); err != nil || rec.Status != run.Running {
		t.Errorf("run is %s, %v", rec.Status, err)
	}
}

func TestCancelOfARunWithoutASupervisor(t *testing.T) {
	b := newLab(t)
	for name, script := range map[string]string{"paused": asks, "failed": "exit 3"} {
		t.Run(name, func(t *testing.T) {
			id, p := b.launch(b.bot(script, "resume: true"))
			<-p.Done()
			was := b.await(id)
			b.must(RequestStop(b.runs, id, run.Intent{Verb: run.VerbStop, By: "daemon"}))
			if rec := b.await(id); rec.Status != was.Status {
				t.Errorf("a stop made it %s", rec.Status)
			}
			b.must(RequestStop(b.runs, id, run.Intent{Verb: run.VerbCancel, By: "ana", Note: "no more"}))
			rec, err := b.runs.Get(id)
			b.must(err)
			if rec.Status != run.Cancelled || rec.Error != "cancelled by ana: no more" {
				t.Errorf("run is %s, %q", rec.Status, rec.Error)
			}
			var over *run.TransitionError
			if _, err := b.l.Resume(context.Background(), Continue{RunID: id}); !errors.As(err, &over) {
				t.Errorf("resume of a cancelled run: %v", err)
			}
		})
	}
}

func TestCancelIsNotLostToAnEndThatIsWrittenMeanwhile(t *testing.T) {
	b := newLab(t)
	id, p := b.launch(b.bot(asks))
	<-p.Done()
	b.await(id)
	// As if it had come between the last look of the supervisor and its end.
	b.must(b.runs.SetIntent(id, run.Intent{Verb: run.VerbCancel, By: "ana"}))
	rec, err := Recover(context.Background(), b.runs, id)
	b.must(err)
	b.want(rec, run.Cancelled, "")
}

func TestResumeIsRefused(t *testing.T) {
	b := newLab(t)
	b.refuses(run.NewID(), run.ErrNotFound)
	var over *run.TransitionError
	done := b.end(b.bot("true"))
	if _, err := b.l.Resume(context.Background(), Continue{RunID: done.ID}); !errors.As(err, &over) {
		t.Errorf("of a finished run: %v", err)
	}
	live := b.start(b.bot("sleep 600", "resume: true"))
	var held *filelock.HeldError
	if _, err := b.l.Resume(context.Background(), Continue{RunID: live}); !errors.As(err, &held) {
		t.Errorf("of a live run: %v", err)
	}
	id, p := b.launch(b.bot("touch " + b.path("up") + "; sleep 600")) // without resume: true
	b.eventually("bot started", b.exists("up"))
	b.must(unix.Kill(p.PID, unix.SIGKILL))
	<-p.Done()
	b.want(b.await(id), run.FailedResumable, run.CodeProcessOrphaned)
	b.refuses(id, ErrNotResumable)
}

func TestRunThatLostItsSupervisorIsResumedAtOnce(t *testing.T) {
	b := newLab(t)
	id, p := b.launch(b.bot(b.working(), "resume: true"))
	b.eventually("bot started", b.exists("up"))
	b.must(unix.Kill(p.PID, unix.SIGKILL))
	<-p.Done()
	b.resume(id) // nobody has noticed yet
	b.want(b.await(id), run.Finished, "")
	b.wantEvents(id, run.EventStarted, run.EventInterrupted, run.EventResumed, run.EventStarted, run.EventFinished)
}

func TestContinuedRunThatCannotBeStartedMayGoOnLater(t *testing.T) {
	b := newLab(t)
	rec := b.end(b.bot(asks))
	b.answer(rec.ID, map[string]any{"answer": "no"})
	b.l.Exe = b.path("no-such-program")
	b.resume(rec.ID)
	b.want(b.await(rec.ID), run.FailedResumable, run.CodeSupervisorLost)
	b.l.Exe = ""
	workdir := b.runs.Path(rec.ID)
	record, err := b.runs.Get(rec.ID)
	b.must(err)
	record.Workdir = b.path("nowhere")
	b.must(b.runs.Save(record))
	b.resume(rec.ID)
	b.want(b.await(rec.ID), run.FailedResumable, run.CodeLaunchFailed)
	record, err = b.runs.Get(rec.ID)
	b.must(err)
	record.Workdir = workdir
	b.must(b.runs.Save(record))
	b.resume(rec.ID)
	b.want(b.await(rec.ID), run.Finished, "")
}

// resumeAndDie goes on with a run and is killed when it has come to a step.
func resumeAndDie(args []string) int {
	l := &Launcher{Runs: run.Open(args[0], run.Options{NoFsync: true}), NoFsync: true, Exe: args[3]}
	l.onStep = func(step string) {
		if step == args[2] {
			_ = unix.Kill(os.Getpid(), unix.SIGKILL)
		}
	}
	_, _ = l.Resume(context.Background(), Continue{RunID: args[1]})
	return 1
}

func TestResumeKilledAtEachStepMayBeDoneAgain(t *testing.T) {
	b := newLab(t)
	self, err := os.Executable()
	b.must(err)
	stillborn := b.path("stillborn") // a supervisor that never gets anywhere
	b.must(os.WriteFile(stillborn, []byte("#!/bin/sh\nexit 1\n"), 0o700))
	for _, c := range []struct {
		step, exe string
		status    run.Status // when it is recovered
	}{
		{"planned", self, run.PausedHuman},
		{"cleared", self, run.PausedHuman},
		{"queued", self, run.FailedResumable},
		{"told", self, run.FailedResumable},
		{"spawned", stillborn, run.FailedResumable},
		{"spawned", self, run.Finished},
	} {
		t.Run(c.step+" "+filepath.Base(c.exe), func(t *testing.T) {
			rec := b.end(b.bot(asks))
			b.answer(rec.ID, map[string]any{"answer": "no"})
			cmd := exec.Command(self, "resume-and-die", filepath.Join(b.root, "runs"), rec.ID, c.step, c.exe)
			out, err := cmd.CombinedOutput()
			if err == nil || cmd.ProcessState.ExitCode() >= 0 {
				t.Fatalf("it was not killed: %v, %s", err, out)
			}
			rec = b.await(rec.ID)
			rec, err = Recover(context.Background(), b.runs, rec.ID)
			b.must(err)
			if rec.Status != c.status {
				t.Fatalf("run is %s with code %q, want %s", rec.Status, rec.FailureCode, c.status)
			}
			if c.status != run.Finished {
				b.resume(rec.ID)
			}
			b.want(b.await(rec.ID), run.Finished, "")
			if n := strings.Count(b.log(rec.ID), "second life"); n != 1 {
				t.Errorf("the bot went on %d times:\n%s", n, b.log(rec.ID))
			}
			b.wantOutcomeEvents(rec.ID, rec.OutcomeSeq+map[bool]int{true: 1}[c.status != run.Finished])
		})
	}
}

func TestPauseEventThatWasLostIsMadeUpFor(t *testing.T) {
	b := newLab(t)
	id, p := b.launch(b.bot(asks))
	<-p.Done()
	b.must(os.Remove(filepath.Join(b.runs.Path(id), run.EventsFile)))
	for range 2 {
		_, err := Recover(context.Background(), b.runs, id)
		b.must(err)
	}
	b.wantEvents(id, run.EventAsked, run.EventPaused)
}

func TestEnvironmentOfTheLauncherIsReplaced(t *testing.T) {
	b := newLab(t)
	script := `echo "epoch $ITERION_CLAIM_EPOCH"; [ $ITERION_RESUME = 1 ] || exit 3`
	rec := b.end(b.bot(script, "resume: true"), func(s *Spec) { s.Env = map[string]string{"ITERION_CLAIM_EPOCH": "7"} })
	b.want(rec, run.FailedResumable, run.CodeExit)
	b.resume(rec.ID, func(c *Continue) { c.Env = map[string]string{"ITERION_CLAIM_EPOCH": "8"} })
	b.want(b.await(rec.ID), run.Finished, "")
	if log := b.log(rec.ID); !strings.Contains(log, "epoch 7\n") || !strings.Contains(log, "epoch 8\n") {
		t.Errorf("log is %q", log)
	}
}

func TestSecretsInAQuestionAreNotStored(t *testing.T) {
	t.Setenv("API_KEY", "canary-key-of-the-bot")
	b := newLab(t)
	rec := b.end(b.bot(`echo '{"type":"ask","questions":{"question":"is canary-key-of-the-bot right, or can\u0061ry-key-of-the-bot?"}}' >>$ITERION_EVENTS`,
		"pass_env: [API_KEY]"))
	b.want(rec, run.PausedHuman, "")
	data, err := json.Marshal(rec)
	b.must(err)
	if strings.Contains(string(data), "canary") {
		t.Errorf("the record holds the secret: %s", data)
	}
}

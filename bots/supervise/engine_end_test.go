package supervise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iterion/native/run"
)

func TestWhatAnAgentLeftUnsaidIsInTheLog(t *testing.T) {
	b := newLab(t)
	rec := b.end(b.agentBot("printf 'no newline' >&2\n" + say(`"Over":true,"Verdict":{"Rest":"half of a li"}`)))
	b.want(rec, run.Finished, "")
	if log := b.log(rec.ID); !strings.HasSuffix(log, "\nhalf of a li\n") {
		t.Errorf("log is %q", log)
	}
}

func TestASessionThatIsGoneIsForgotten(t *testing.T) {
	b := newLab(t)
	gone := say(`"Verdict":{"Class":"transient","Code":"SESSION","Message":"no such session","NoSession":true}`)
	script := "cat\nif [ -n \"$ITERION_SESSION\" ]; then\n" + gone + "elif [ $ITERION_RESUME = 0 ]; then\n" + say(`"Session":"s1"`) + "exit 1\nelse\n" + say(wellDone) + "fi\n"
	rec := b.end(b.agentBot(script, "resume: true"))
	if rec.Session != "s1" {
		t.Fatalf("session is %q", rec.Session)
	}
	b.resume(rec.ID)
	rec = b.await(rec.ID)
	b.want(rec, run.FailedResumable, "SESSION")
	if rec.Session != "" {
		t.Errorf("session %q is kept", rec.Session)
	}
	b.resume(rec.ID)
	b.want(b.await(rec.ID), run.Finished, "")
	if log := b.log(rec.ID); !strings.Contains(log, "resume false") || strings.Count(log, "resume true") != 1 {
		t.Errorf("log is %q", log)
	}
}

func TestAnAgentThatGoesOnAfterItsLastWordIsNotEnded(t *testing.T) {
	b := newLab(t)
	b.l.linger = 200 * time.Millisecond
	script := say(wellDone) + say(`"Progress":"there is more"`) + "sleep 1\n" + say(wellDone)
	rec := b.end(b.agentBot(script))
	b.want(rec, run.Finished, "")
	if log := b.log(rec.ID); strings.Contains(log, "did not exit") {
		t.Errorf("log is %q", log)
	}
}

func TestWhatAnAgentSaysWithAQuestionIsNotItsResult(t *testing.T) {
	b := newLab(t)
	script := "if [ $ITERION_RESUME = 0 ]; then\n" + `echo '{"type":"ask","questions":{"ready":"Ready?"}}' >>$ITERION_EVENTS` + "\n" +
		say(`"Session":"s1","Verdict":{"Result":"I have asked"}`) + "else\n" + say(wellDone) + "fi\n"
	rec := b.end(b.agentBot(script))
	b.want(rec, run.PausedHuman, "")
	b.answer(rec.ID, map[string]any{"ready": "yes"})
	b.resume(rec.ID)
	b.want(b.await(rec.ID), run.Finished, "")
	if out, err := b.runs.Output(rec.ID); err != nil || out["result"] != "all is well" {
		t.Errorf("output is %v, %v", out, err)
	}
}

func TestAProgramThatIsMissingNowIsNamedWithHowToGetIt(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	b := newLab(t)
	bot := b.bundle("tool", `command: ["tidytool-of-a-test"]`)
	bot.Manifest.Run.Install, bot.Manifest.Run.Resume = "apt install tidy", true
	b.must(os.WriteFile(filepath.Join(bin, "tidytool-of-a-test"), []byte("#!/bin/sh\nexit 3\n"), 0o700))
	rec := b.end(bot)
	b.want(rec, run.FailedResumable, run.CodeExit)
	b.must(os.Remove(filepath.Join(bin, "tidytool-of-a-test")))
	b.resume(rec.ID)
	rec = b.await(rec.ID)
	b.want(rec, run.FailedResumable, run.CodeLaunchFailed)
	if want := "tidytool-of-a-test is not found on PATH; to install it: apt install tidy"; !strings.HasSuffix(rec.Error, want) {
		t.Errorf("error is %q, want %q", rec.Error, want)
	}
}

func TestZoneOfAnAgent(t *testing.T) {
	for tz, want := range map[string]string{"": "UTC", "UTC": "UTC", "Asia/Tokyo": "Asia/Tokyo", "No/Where": "UTC"} {
		if got := zoneOf(map[string]string{"TZ": tz}).String(); got != want {
			t.Errorf("TZ %q: %s, want %s", tz, got, want)
		}
	}
}

package supervise

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"iterion/native/run"
)

func TestLongVarsReachTheBotWholeAndLeaveTheRecordShort(t *testing.T) {
	b := newLab(t)
	long := strings.Repeat("ä€x\n", 1<<18)
	vars := map[string]string{"prompt": long, "short": "s"}
	tune := func(s *Spec) { s.Inputs = vars }
	rec := b.end(b.bot("cp $ITERION_VARS "+b.path("vars")+"; echo ${ITERION_VAR_PROMPT-none} $ITERION_VAR_SHORT"), tune)
	b.want(rec, run.Finished, "")
	if log := b.log(rec.ID); log != "none s\n" {
		t.Errorf("the environment holds %.40q", log)
	}
	data, err := os.ReadFile(b.path("vars"))
	b.must(err)
	var got map[string]string
	b.must(json.Unmarshal(data, &got))
	if got["prompt"] != long || got["short"] != "s" {
		t.Errorf("the bot got %d bytes of %d", len(got["prompt"]), len(long))
	}
	noted := rec.Inputs["prompt"]
	if len(noted) > 2*shownVar || !utf8.ValidString(noted) || !strings.HasPrefix(noted, "ä€x\n") || rec.Inputs["short"] != "s" {
		t.Errorf("the record holds %d bytes: %.50q", len(noted), noted)
	}
	rec = b.end(b.agentBot("cat >"+b.path("task")+"\n"+say(wellDone)), tune)
	b.want(rec, run.Finished, "")
	task, err := os.ReadFile(b.path("task"))
	b.must(err)
	if !strings.Contains(string(task), long) {
		t.Errorf("the agent was given %d bytes", len(task))
	}
}

func TestLongVarsThatAreGoneKeepARunFromGoingOn(t *testing.T) {
	b := newLab(t)
	bot := b.bot(`[ "$ITERION_RESUME" = 1 ] || exit 1`, "resume: true")
	rec := b.end(bot, func(s *Spec) { s.Inputs = map[string]string{"big": strings.Repeat("x", maxVar+1)} })
	b.want(rec, run.FailedResumable, run.CodeExit)
	b.must(os.Remove(filepath.Join(b.runs.Path(rec.ID), run.VarsFile)))
	<-b.resume(rec.ID).Done()
	b.want(b.await(rec.ID), run.FailedResumable, run.CodeSupervisorLost)
}

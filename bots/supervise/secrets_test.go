package supervise

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"iterion/bots"
	"iterion/bots/manifest"
	"iterion/native/run"
)

const (
	canaryAsked = "canary-the-bot-asked-for"
	canaryOther = "canary-nobody-asked-for"
)

// sings tells everything that the bot can tell about its key.
const sings = `k=$ASKED_FOR
spell() { rest=$k; while [ -n "$rest" ]; do one=${rest%"${rest#?}"}; rest=${rest#?}; printf %s "$one"; done; echo; }
spell; spell >&2
report() { printf '%s\n' "$1" >>$ITERION_EVENTS; }
report '{"type":"progress","text":"key '$k'"}'
report '{"type":"output","data":{"'$k'":["'$k'",{"a":"'$k'"}]}}'
report '{"type":"'$k'"}'
report '{"type":"cost","usd":"'$k'"}'
report '{"type":"fail","class":"transient","code":"'$k'","retry_at":"'$k'","message":"'$k'"}'
spell >>$ITERION_EVENTS
`

func TestI11_CanariesAreInNoFile(t *testing.T) {
	t.Setenv("ASKED_FOR", canaryAsked)
	t.Setenv("NOT_ASKED_FOR", canaryOther)
	b := newLab(t)
	pass, again := "pass_env: [ASKED_FOR]", "resume: true"
	agent := sings + `for said in '{"Log":"'$k'"}' '{"Progress":"'$k'"}' '{"Session":"'$k'"}' ` +
		`'{"Over":true,"Verdict":{"Message":"'$k'","Code":"'$k'","Class":"transient","Result":"'$k'"}}'; do echo "$said"; done`
	asking := "k=$ASKED_FOR; echo '{\"type\":\"ask\",\"questions\":{\"question\":\"is '$k' it?\",\"fields\":{\"'$k'\":{\"default\":\"'$k'\"}}}}' >>$ITERION_EVENTS"
	for name, bot := range map[string]bots.Bot{
		"plain": b.bot(sings, pass, again),
		"jsonl": b.bot(sings+`cat $ITERION_EVENTS`, pass, again, "protocol: jsonl"),
		"agent": b.agentBot(agent, pass, again),
		"asks":  b.bot(asking, pass),
		"fails": b.agentBot(strings.ReplaceAll(agent, "report '{\"type\":\"fail\"", "true '"), pass),
	} {
		rec := b.end(bot)
		if log := b.log(rec.ID); name != "asks" && strings.Count(log, blot) < 2 {
			t.Errorf("%s: the log shows no trace of the secret:\n%s", name, log)
		}
		if rec.Status == run.FailedResumable { // what it left is read again
			b.resume(rec.ID)
			b.await(rec.ID)
		}
	}
	for _, p := range b.up {
		<-p.Done()
	}
	b.must(filepath.WalkDir(b.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, canary := range []string{canaryAsked, canaryOther} {
			if strings.Contains(string(data), canary) {
				t.Errorf("%s holds %s:\n%s", path, canary, data)
			}
		}
		return err
	}))
}

func TestASecretThatAnEngineCutsShortIsHidden(t *testing.T) {
	t.Setenv("ASKED_FOR", canaryAsked)
	b := newLab(t)
	bot := b.bot(`
say() { printf '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"%s","name":"Bash","input":{"command":"%s%s"}}]}}\n' "$1" "$(head -c "$1" /dev/zero | tr '\0' x)" "$ASKED_FOR"; }
say 130; say 140; say 145
printf '%s%s\n' "$(head -c 350 /dev/zero | tr '\0' y)" "$ASKED_FOR" >&2
exit 1`, "pass_env: [ASKED_FOR]")
	bot.Manifest.Run.Protocol = manifest.Claude
	rec := b.end(bot)
	if log := b.log(rec.ID); strings.Count(log, "> Bash: xxx") != 3 {
		t.Fatalf("the calls are not in the log:\n%s", log)
	}
	for _, name := range []string{run.LogFile, "run.json", run.EventsFile} {
		data, err := os.ReadFile(filepath.Join(b.runs.Path(rec.ID), name))
		b.must(err)
		if at := strings.Index(string(data), canaryAsked[:4]); at >= 0 {
			t.Errorf("%s holds the beginning of the secret: %.40q", name, data[at:])
		}
	}
}

func TestSecretsAreHiddenHoweverJSONIsWritten(t *testing.T) {
	const secret = `pass"word<&>`
	r := newRedactor([]string{secret})
	for _, text := range []string{secret, `pass\"word<&>`, `pass\"word\u003c\u0026\u003e`} {
		if got := r.clean("a " + text + " b"); got != "a "+blot+" b" {
			t.Errorf("%s is shown as %s", text, got)
		}
	}
}

package supervise

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"iterion/bots"
	"iterion/native/proctree"
	"iterion/native/run"
)

// big makes the tests of bounds as large as what they stand for: 1 GB of output
// and 500 MB of reports. Without it they are a quarter and a sixteenth of that, and
// less under the race detector.
var big = flag.Bool("big", false, "test bounds with 1 GB of output and 500 MB of reports")

func outputSize() int {
	if *big {
		return 1 << 30
	}
	if raced {
		return 32 << 20
	}
	return 256 << 20
}

func reportsSize() int {
	if *big {
		return 500 << 20
	}
	if raced {
		return 8 << 20
	}
	return 32 << 20
}

// mostMemory is what a supervisor may hold, in KiB.
const mostMemory = 30 << 10

// bounded runs a bot to its end and wants its supervisor to stay small.
func (b *lab) bounded(bot bots.Bot, tune ...func(*Spec)) run.Record {
	b.Helper()
	id, p := b.launch(bot, tune...)
	peak := 0
	for gone := false; !gone; {
		select {
		case <-p.Done():
			gone = true
		case <-time.After(10 * time.Millisecond):
			peak = max(peak, status(b, p.PID, "VmHWM"))
		}
	}
	b.Logf("peak of the supervisor: %d KiB", peak)
	if runtime.GOOS == "linux" && !raced && (peak == 0 || peak > mostMemory) {
		b.Errorf("the supervisor held %d KiB, want %d at most", peak, mostMemory)
	}
	if left := b.processes(id); len(left) > 0 {
		b.Errorf("left: %v", left)
	}
	return b.await(id)
}

func TestBoundsMuchOutput(t *testing.T) {
	b := newLab(t)
	t.Setenv("API_KEY", "canary-key-of-the-bot")
	size := outputSize()
	rec := b.bounded(b.bot(fmt.Sprintf("yes canary-key-of-the-bot and more | head -c %d; echo; echo the last words", size),
		"max_log: 1MiB", "pass_env: [API_KEY]"))
	b.want(rec, run.Finished, "")
	log := b.log(rec.ID)
	if strings.Contains(log, "canary-key-of-the-bot") || !strings.HasSuffix(log, "\nthe last words\n") {
		t.Errorf("log ends in %q", log[len(log)-60:])
	}
}

var leftOut = regexp.MustCompile(`\[iterion: the log reached its limit of (\d+) bytes; only its end will follow\]\n\[iterion: (\d+) bytes left out\]\n`)

func TestBoundsLogTellsTheTruthAboutWhatWasCut(t *testing.T) {
	b := newLab(t)
	const size = 5 << 20
	rec := b.bounded(b.bot(fmt.Sprintf("yes 'one line of many' | head -c %d", size), "max_log: 1MiB"))
	log := b.log(rec.ID)
	at := leftOut.FindStringSubmatchIndex(log)
	if at == nil {
		t.Fatal("the log has no mark")
	}
	lost, err := strconv.Atoi(log[at[4]:at[5]])
	b.must(err)
	begin := strings.TrimSuffix(log[:at[0]], "\n") // the mark begins a line of its own
	if kept := len(begin) + len(log) - at[1]; kept+lost < size-1 || kept+lost > size+1 {
		t.Errorf("%d bytes kept and %d left out are not the %d that came", kept, lost, size)
	}
	if len(begin) > 1<<20 || len(begin) < 1<<20-1 {
		t.Errorf("the beginning has %d bytes", len(begin))
	}
}

func TestBoundsOneLongLine(t *testing.T) {
	b := newLab(t)
	line := "head -c 100000000 /dev/zero | tr '\\0' x"
	after := "echo; echo '{\"type\":\"progress\",\"text\":\"after it\"}'"
	rec := b.bounded(b.bot(line+"; "+after, "protocol: jsonl", "max_log: 1MiB"))
	b.want(rec, run.Finished, "")
	if rec.Progress == nil || rec.Progress.Text != "after it" {
		t.Errorf("progress is %+v", rec.Progress)
	}
	rec = b.bounded(b.bot("("+line+"; "+after+") >$ITERION_EVENTS", "max_log: 1MiB"))
	b.want(rec, run.Finished, "")
	if rec.Progress == nil || rec.Progress.Text != "after it" || !strings.Contains(b.log(rec.ID), "a report longer than 1048576 bytes was passed over") {
		t.Errorf("progress is %+v, log %q", rec.Progress, b.log(rec.ID))
	}
}

func TestBoundsBinaryOutput(t *testing.T) {
	b := newLab(t)
	t.Setenv("API_KEY", "canary-key-of-the-bot")
	rec := b.bounded(b.bot("head -c 3000000 /dev/urandom | tee "+b.path("noise"), "pass_env: [API_KEY]"))
	b.want(rec, run.Finished, "")
	noise, err := os.ReadFile(b.path("noise"))
	b.must(err)
	if !bytes.Equal(noise, []byte(b.log(rec.ID))) {
		t.Error("the log is not what the bot printed")
	}
}

func TestBoundsManyReports(t *testing.T) {
	b := newLab(t)
	t.Setenv("API_KEY", "canary-key-of-the-bot")
	one := `{"type":"output","data":{"canary-key-of-the-bot":"canary-key-of-the-bot"}}`
	size := reportsSize()
	script := fmt.Sprintf("yes '%s' | head -c %d >>$ITERION_EVENTS\necho >>$ITERION_EVENTS\n", one, size)
	rec := b.bounded(b.bot(script+`echo '{"type":"output","data":{"end":1}}' >>$ITERION_EVENTS`, "pass_env: [API_KEY]"))
	b.want(rec, run.Finished, "")
	out, err := b.runs.Output(rec.ID)
	b.must(err)
	if len(out) != 2 || out[blot] != blot {
		t.Errorf("output is %v", out)
	}
	reports, err := os.ReadFile(b.runs.Path(rec.ID) + "/" + run.ReportsFile)
	b.must(err)
	if len(reports) < size || bytes.Contains(reports, []byte("canary-key-of-the-bot")) {
		t.Errorf("%d bytes of reports, which hold the secret or are not all there", len(reports))
	}
}

func TestBoundsOutputsAreNotMore(t *testing.T) {
	b := newLab(t)
	script := `i=0; while [ $i -lt 6 ]; do printf '{"type":"output","data":{"n%d":"%0300000d"}}\n' $i 1; i=$((i+1)); done >>$ITERION_EVENTS`
	rec := b.bounded(b.bot(script))
	b.want(rec, run.Finished, "")
	out, err := b.runs.Output(rec.ID)
	b.must(err)
	if len(out) != 3 || !strings.Contains(b.log(rec.ID), `the outputs are larger than 1048576 bytes in all: "n3"`) {
		t.Errorf("%d outputs, log %q", len(out), b.log(rec.ID))
	}
}

func TestBoundsStreamOfAnAgent(t *testing.T) {
	b := newLab(t)
	script := fmt.Sprintf("yes '{\"Log\":\"one line of many\"}' | head -c %d; echo\n", outputSize()/8) +
		"head -c 100000000 /dev/zero | tr '\\0' x; echo\nyes on stderr | head -c 20000000 >&2\n" + say(wellDone)
	rec := b.bounded(b.agentBot(script, "max_log: 1MiB"))
	b.want(rec, run.Finished, "")
	log := b.log(rec.ID)
	if !strings.Contains(log, "bytes left out]") {
		t.Errorf("log ends in %q", log[max(0, len(log)-200):])
	}
	info, err := os.Stat(b.runs.Path(rec.ID) + "/" + run.StreamFile)
	if err != nil || info.Size() > 2<<20 {
		t.Errorf("stream: %v, %v", info.Size(), err)
	}
}

func TestBoundsForkBomb(t *testing.T) {
	b := newLab(t)
	script := `i=0; while [ $i -lt 100 ]; do
	(trap '' TERM; while :; do sleep 5; done) &
	(trap '' TERM; setsid sh -c 'trap "" TERM; while :; do sleep 5; done' &)
	i=$((i+1)); done
echo up; ` + "touch " + b.path("up") + "; sleep 600"
	id, p := b.launch(b.bot(script, "timeout: 10m"))
	b.eventually("200 children", func() bool { return b.exists("up")() && len(b.processes(id)) > 200 })
	b.must(RequestStop(b.runs, id, run.Intent{Verb: run.VerbCancel, By: "ana"}))
	b.want(b.await(id), run.Cancelled, "")
	<-p.Done()
	if left, err := proctree.Orphans(proctree.ByEnviron("ITERION_RUN_ID", id), nil); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

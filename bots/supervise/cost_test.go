package supervise

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/run"
	"iterion/native/spend"
)

func TestTallyNeverFallsAndIsExact(t *testing.T) {
	usd := func(v float64) *float64 { return &v }
	var sum tally
	for range 1000 {
		if changed, err := sum.report(report{USD: 0.001, TokensIn: 2}); !changed || err != nil {
			t.Fatal(changed, err)
		}
	}
	if sum.usd() != 1 || sum.in != 2000 {
		t.Errorf("a thousand tenths of a cent are %+v", sum)
	}
	for name, c := range map[string]struct {
		r   report
		ok  bool
		usd float64
		in  int64
	}{
		"a smaller total":             {report{TotalUSD: usd(0.5), TokensIn: 10}, true, 1, 2000},
		"a larger total":              {report{TotalUSD: usd(2), TokensIn: 2500}, true, 2, 2500},
		"more, and a total of tokens": {report{USD: 1, TotalTokensIn: 3000}, true, 2, 3000},
		"less than nothing":           {report{USD: -1}, false, 1, 2000},
		"a negative total":            {report{TotalUSD: usd(-1)}, false, 1, 2000},
		"a fortune":                   {report{USD: 1e300}, false, 1, 2000},
		"too many tokens":             {report{TokensIn: 1e300}, false, 1, 2000},
		"nothing":                     {report{}, true, 1, 2000},
	} {
		t.Run(name, func(t *testing.T) {
			now := sum
			changed, err := now.report(c.r)
			if (err == nil) != c.ok || now.usd() != c.usd || now.in != c.in || changed != (now != sum) {
				t.Errorf("now %+v, changed %t, %v", now, changed, err)
			}
		})
	}
}

// day is the ledger's total of today and what it holds of one run.
func (b *lab) day(id string) (total, of float64) {
	b.Helper()
	s, err := spend.Open(b.root, spend.Options{}).Status(time.Now())
	b.must(err)
	return s.Day.TotalUSD, s.Day.Runs[id]
}

func spends(lines ...string) string {
	var script strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&script, "echo '{\"type\":\"cost\",%s}' >>$ITERION_EVENTS\n", l)
	}
	return script.String()
}

func TestCostsReachTheRecordTheEventsAndTheLedger(t *testing.T) {
	b := newLab(t)
	rec := b.end(b.bot(spends(`"usd":0.1`, `"usd":0.1,"tokens_in":10`, `"usd":-5`, `"usd":"much"`, `"total_usd":0.5,"tokens_in":40,"tokens_out":7`, `"usd":0.1`)))
	b.want(rec, run.Finished, "")
	if rec.CostUSD != 0.6 || rec.TokensIn != 40 || rec.TokensOut != 7 {
		t.Errorf("record says $%g, %d and %d tokens", rec.CostUSD, rec.TokensIn, rec.TokensOut)
	}
	if total, of := b.day(rec.ID); total != 0.6 || of != 0.6 {
		t.Errorf("ledger says $%g, $%g of this run", total, of)
	}
	log := b.log(rec.ID)
	for _, note := range []string{"less than nothing", `of type "cost" cannot be read`} {
		if !strings.Contains(log, note) {
			t.Errorf("log lacks %q:\n%s", note, log)
		}
	}
	events, err := b.runs.Events(rec.ID, -1)
	b.must(err)
	var last float64
	for _, e := range events {
		if e.Type == run.EventCost {
			last = e.Data["cost_usd"].(float64)
		}
	}
	if last != 0.6 {
		t.Errorf("the last cost event says %g", last)
	}
}

func TestEventsOfManyReportsAreFew(t *testing.T) {
	b := newLab(t)
	script := `i=0; while [ $i -lt 3000 ]; do printf '{"type":"cost","usd":0.001}\n{"type":"progress","text":"%d"}\n{"type":"output","data":{"n":%d}}\n' $i $i; i=$((i+1)); done >>$ITERION_EVENTS`
	start := time.Now()
	rec := b.end(b.bot(script))
	b.want(rec, run.Finished, "")
	if rec.CostUSD != 3 || rec.Progress.Text != "2999" {
		t.Errorf("record says $%g, %+v", rec.CostUSD, rec.Progress)
	}
	events, err := b.runs.Events(rec.ID, -1)
	b.must(err)
	if most := 3*(2+int(time.Since(start)/saveEvery)) + 2; len(events) > most {
		t.Errorf("%d events, want %d at most", len(events), most)
	}
}

func TestCostsAreCountedOnceOverTheLivesOfARun(t *testing.T) {
	b := newLab(t)
	script := spends(`"usd":0.25`) + `echo '{"type":"output","data":{"life'$ITERION_RESUME'":1}}' >>$ITERION_EVENTS; [ $ITERION_RESUME = 1 ] || exit 3`
	rec := b.end(b.bot(script, "resume: true"))
	b.want(rec, run.FailedResumable, run.CodeExit)
	b.resume(rec.ID)
	rec = b.await(rec.ID)
	b.want(rec, run.Finished, "")
	if total, _ := b.day(rec.ID); rec.CostUSD != 0.5 || total != 0.5 {
		t.Errorf("record says $%g, ledger $%g", rec.CostUSD, total)
	}
	if out, err := b.runs.Output(rec.ID); err != nil || len(out) != 2 {
		t.Errorf("output %v, %v", out, err)
	}
}

func TestCostsThatASupervisorDidNotLiveToCount(t *testing.T) {
	b := newLab(t)
	script := "touch " + b.path("up") + "; while [ ! -e " + b.path("go") + " ]; do sleep 0.01; done\n" +
		spends(`"usd":0.25`) + "echo '{\"type\":\"output\",\"data\":{\"a\":1}}' >>$ITERION_EVENTS\ntouch " + b.path("spent") + "; [ $ITERION_RESUME = 1 ] || sleep 600"
	id, p := b.launch(b.bot(script, "resume: true"))
	b.eventually("bot started", b.exists("up"))
	b.must(unix.Kill(p.PID, unix.SIGSTOP))
	b.must(os.WriteFile(b.path("go"), nil, 0o600))
	b.eventually("bot has spent", b.exists("spent"))
	b.must(unix.Kill(p.PID, unix.SIGKILL))
	<-p.Done()
	rec := b.await(id)
	b.want(rec, run.FailedResumable, run.CodeProcessOrphaned)
	if total, _ := b.day(id); rec.CostUSD != 0.25 || total != 0.25 {
		t.Errorf("record says $%g, ledger $%g", rec.CostUSD, total)
	}
	if out, err := b.runs.Output(id); err != nil || len(out) != 1 {
		t.Errorf("output %v, %v", out, err)
	}
	b.resume(id)
	rec = b.await(id)
	b.want(rec, run.Finished, "")
	if total, _ := b.day(id); rec.CostUSD != 0.5 || total != 0.5 {
		t.Errorf("after the second life the record says $%g, the ledger $%g", rec.CostUSD, total)
	}
}

func (b *lab) setCap(usd float64) {
	b.Helper()
	b.must(os.MkdirAll(b.path("dispatcher"), 0o700))
	b.must(os.WriteFile(b.path("dispatcher/dispatcher.json"), fmt.Appendf(nil, `{"limits":{"max_cost_per_day_usd":%g}}`, usd), 0o600))
}

func TestRunIsPausedAtTheCap(t *testing.T) {
	b := newLab(t)
	b.setCap(1)
	script := spends(`"usd":2`) + "touch " + b.path("spent") + "; [ $ITERION_RESUME = 1 ] || sleep 600"
	rec := b.end(b.bot(script, "resume: true"))
	if rec.Status != run.PausedOperator || rec.PauseReason != run.PauseCostCap || rec.CostUSD != 2 {
		t.Errorf("run is %s, reason %q, $%g", rec.Status, rec.PauseReason, rec.CostUSD)
	}
	b.resume(rec.ID, func(c *Continue) { c.OverCap = true })
	b.want(b.await(rec.ID), run.Finished, "")
}

func TestRunThatCannotBePausedOrMayGoOnPassesTheCap(t *testing.T) {
	b := newLab(t)
	b.setCap(1)
	script := spends(`"usd":2`) + "sleep 1.5"
	b.want(b.end(b.bot(script)), run.Finished, "")
	b.want(b.end(b.bot(script, "resume: true"), func(s *Spec) { s.OverCap = true }), run.Finished, "")
	_, err := spend.Open(b.root, spend.Options{}).Override(context.Background(), time.Now(), "ana", "release day")
	b.must(err)
	b.want(b.end(b.bot(script, "resume: true")), run.Finished, "")
}

func TestLedgerThatCannotBeWrittenDoesNotLoseTheCost(t *testing.T) {
	b := newLab(t)
	b.must(os.WriteFile(b.path("spend"), []byte("in the way"), 0o600))
	rec := b.end(b.bot(spends(`"usd":0.5`)))
	b.want(rec, run.Finished, "")
	said, err := os.ReadFile(filepath.Join(b.runs.Path(rec.ID), supervisorLog))
	if rec.CostUSD != 0.5 || err != nil || !strings.Contains(string(said), "ledger does not know") {
		t.Errorf("record says $%g, the supervisor %q, %v", rec.CostUSD, said, err)
	}
	if !strings.Contains(b.log(rec.ID), "$0.5") {
		t.Errorf("log is %q", b.log(rec.ID))
	}
}

func TestCapThatCannotBeReadIsNoReasonToMissACost(t *testing.T) {
	b := newLab(t)
	b.must(os.MkdirAll(b.path("dispatcher"), 0o700))
	b.must(os.WriteFile(b.path("dispatcher/dispatcher.json"), []byte("{"), 0o600))
	rec := b.end(b.bot(spends(`"usd":0.5`), "resume: true"))
	b.want(rec, run.Finished, "")
	if total, _ := spend.Open(b.root, spend.Options{}).Days("2000-01-01", "2999-01-01"); len(total) != 1 || total[0].TotalUSD != 0.5 {
		t.Errorf("ledger says %v", total)
	}
	if strings.Contains(b.log(rec.ID), "ledger") {
		t.Errorf("log is %q", b.log(rec.ID))
	}
}

func TestQuota(t *testing.T) {
	b := newLab(t)
	at := `,"retry_at":"2031-05-06T07:08:09Z"`
	for name, c := range map[string]struct {
		script, code, class string
		when                bool
	}{
		"exit 69":          {"exit 69", run.CodeQuota, run.ClassQuota, false},
		"report":           {`echo '{"type":"fail","class":"quota","code":"MINE"` + at + `}' >>$ITERION_EVENTS; exit 1`, run.CodeQuota, run.ClassQuota, true},
		"report and 69":    {`echo '{"type":"fail","class":"quota"` + at + `}' >>$ITERION_EVENTS; exit 69`, run.CodeQuota, run.ClassQuota, true},
		"another class":    {`echo '{"type":"fail","class":"transient"}' >>$ITERION_EVENTS; exit 69`, run.CodeTransient, run.ClassTransient, false},
		"permanent, named": {`echo '{"type":"fail","class":"permanent","code":"NO_REPO"}' >>$ITERION_EVENTS; exit 69`, "NO_REPO", run.ClassPermanent, false},
		"unknown class":    {`echo '{"type":"fail","class":"bad"}' >>$ITERION_EVENTS; exit 1`, run.CodeExit, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			rec := b.end(b.bot(c.script, "resume: true"))
			want := run.FailedResumable
			if c.class == run.ClassPermanent {
				want = run.Failed
			}
			b.want(rec, want, c.code)
			if rec.FailureClass != c.class || rec.RetryAt.Equal(quotaReset) != c.when {
				t.Errorf("class %q, retry at %s", rec.FailureClass, rec.RetryAt)
			}
		})
	}
}

func TestSilentRunIsEnded(t *testing.T) {
	b := newLab(t)
	talks := "i=0; while [ $i -lt 20 ]; do %s; sleep 0.2; i=$((i+1)); done" // longer than the limit in all
	stall := "stall: 3s"
	for name, c := range map[string]struct {
		script, stall string
		status        run.Status
		code          string
	}{
		"silent":          {"echo hello; sleep 600", stall, run.FailedResumable, run.CodeStall},
		"prints":          {fmt.Sprintf(talks, "echo x"), stall, run.Finished, ""},
		"reports":         {fmt.Sprintf(talks, `echo '{"type":"progress","text":"x"}' >>$ITERION_EVENTS`), stall, run.Finished, ""},
		"no limit":        {"sleep 4", "stall: 0s", run.Finished, ""},
		"nothing is said": {"sleep 4", "timeout: 1h", run.Finished, ""},
	} {
		bot := b.bot(c.script, "resume: true", c.stall)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b.want(b.end(bot), c.status, c.code)
		})
	}
	b.want(b.end(b.bot("sleep 600"), func(s *Spec) { s.Stall = 300 * time.Millisecond }), run.Failed, run.CodeStall)
	b.want(b.end(b.bot("sleep 1", "stall: 200ms"), func(s *Spec) { s.Stall = -1 }), run.Finished, "")
}

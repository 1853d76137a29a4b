package supervise

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"iterion/bots"
	"iterion/native/proctree"
	"iterion/native/run"
	"iterion/native/spend"
)

var (
	instants = flag.Int("instants", 12, "how many instants to kill a supervisor at; 50 before a release")
	starts   = flag.Int("starts", 60, "how many runs to start under probing; 1000 before a release")
)

// A bot that leaves processes about, spends, asks, and goes on when it is answered.
const eventful = `(setsid sleep 600 </dev/null >/dev/null 2>&1 &)
echo '{"type":"cost","usd":0.01}' >>$ITERION_EVENTS
sleep 0.1
echo '{"type":"cost","usd":0.01}' >>$ITERION_EVENTS
if [ -z "$ITERION_ANSWERS" ]; then
	echo '{"type":"ask","questions":"Go on?"}' >>$ITERION_EVENTS
	exit 0
fi
sleep 0.1
echo '{"type":"output","data":{"done":true}}' >>$ITERION_EVENTS`

// TestKilledAtAnyInstant kills supervisors at random instants of a run's life, its
// going on included. Every run is settled, leaves nothing behind, has counted what
// it cost once, and goes on to its end.
func TestKilledAtAnyInstant(t *testing.T) {
	const workers = 4
	for w := range workers {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			t.Parallel()
			b := newLab(t)
			bot := b.bot(eventful, "resume: true")
			for i := w; i < *instants; i += workers {
				b.killed(bot, rand.New(rand.NewPCG(1, uint64(i))))
			}
		})
	}
}

// killed takes a run to its end, with its first supervisors killed on the way.
func (b *lab) killed(bot bots.Bot, dice *rand.Rand) {
	b.Helper()
	id, p := b.launch(bot)
	kills := 1 + dice.IntN(3)
	for life := 0; life < 10; life++ {
		if life < kills {
			time.Sleep(time.Duration(dice.Int64N(int64(400 * time.Millisecond))))
			_ = unix.Kill(p.PID, unix.SIGKILL) // reaped by Process alone, so it is no stranger yet or gone
			<-p.Done()
		}
		rec := b.await(id)
		b.settled(rec)
		switch rec.Status {
		case run.PausedHuman:
			b.answer(id, map[string]any{"answer": "yes"})
		case run.FailedResumable:
		case run.Failed:
			b.want(rec, run.Failed, run.CodeSupervisorLost)
			return // its bot never ran
		default:
			b.want(rec, run.Finished, "")
			return
		}
		p = b.resume(id)
	}
	b.Errorf("run %s never came to its end", id)
}

// settled looks at a run that nobody supervises.
func (b *lab) settled(rec run.Record) {
	b.Helper()
	b.eventually("the lock is free", func() bool {
		held, err := b.runs.Locked(rec.ID)
		b.must(err)
		return !held
	})
	rec, err := Recover(context.Background(), b.runs, rec.ID) // makes up for lost events
	b.must(err)
	left, err := proctree.Orphans(proctree.ByEnviron("ITERION_RUN_ID", rec.ID), nil)
	if err != nil || len(left) > 0 {
		b.Errorf("%s run left %v, %v", rec.Status, left, err)
	}
	b.wantOutcomeEvents(rec.ID, rec.OutcomeSeq)
	reports, _ := os.ReadFile(filepath.Join(b.runs.Path(rec.ID), run.ReportsFile))
	want := float64(strings.Count(string(reports), `"cost"`)) / 100
	s, err := spend.Open(b.root, spend.Options{}).Status(time.Now())
	b.must(err)
	if math.Abs(rec.CostUSD-want) > 1e-9 || math.Abs(s.Day.Runs[rec.ID]-want) > 1e-9 {
		b.Errorf("%s run reported $%g, its record says $%g, the ledger $%g", rec.Status, want, rec.CostUSD, s.Day.Runs[rec.ID])
	}
}

// TestProbersDoNotSpoilAStart hammers the locks of runs while they start and end.
func TestProbersDoNotSpoilAStart(t *testing.T) {
	b := newLab(t)
	bot := b.bot("exit $ITERION_VAR_CODE")
	stop := make(chan struct{})
	var probers sync.WaitGroup
	defer func() { close(stop); probers.Wait() }()
	var newest sync.Map // so that the probers look where it hurts
	for range 2 {
		probers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				newest.Range(func(id, _ any) bool {
					_, _ = b.runs.Locked(id.(string))
					rec, err := Recover(context.Background(), b.runs, id.(string))
					if err == nil && (rec.FailureCode == run.CodeSupervisorLost || rec.FailureCode == run.CodeProcessOrphaned) {
						t.Errorf("a live run was settled: %s", rec.FailureCode)
					}
					return true
				})
			}
		})
	}
	for i := range *starts {
		id, code := run.NewID(), 1+i%50
		newest.Clear()
		newest.Store(id, nil)
		b.start(bot, func(s *Spec) {
			s.RunID, s.Inputs = id, map[string]string{"code": fmt.Sprint(code)}
		})
		rec := b.await(id)
		if rec.Status != run.Failed || rec.FailureCode != run.CodeExit || rec.ExitCode == nil || *rec.ExitCode != code {
			t.Fatalf("start %d: run is %s, code %q (%s), exit %v, want exit code %d", i, rec.Status, rec.FailureCode, rec.Error, rec.ExitCode, code)
		}
	}
}

package dispatch

import (
	"strings"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// usedUp ends a run whose allowance is used up, until some time from then.
func usedUp(until time.Duration) script {
	return script{time.Second, func(r *run.Record) {
		r.Status, r.FailureCode, r.Error = run.FailedResumable, run.CodeQuota, "usage limit reached"
		if until > 0 {
			r.RetryAt = time.Now().Add(until)
		}
	}}
}

func TestQuotaWaitsForItsResetAndSpendsNoAttempt(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.bots.resume, b.bots.retry = true, QuotaRetry{Jitter: time.Minute}
		b.runs.plan = func(Launch) script { return usedUp(5 * time.Hour) }
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		b.settledIn(id, board.StateReady)
		ended := b.runs.view(b.get(id).LastRunID).Record.FinishedAt
		e := b.ledger.of(id)
		if e.Attempts != 0 || e.QuotaWaits != 1 || e.DueAt.Sub(ended) != 5*time.Hour || e.JitterMS != 60_000 {
			t.Fatalf("ledger %+v", e)
		}
		if v := l.row(id, 6); v.Answer != AnswerSkip || !strings.Contains(v.Reason, "allowance") || !strings.Contains(v.Reason, "wait 1") {
			t.Fatalf("verdict %+v", v)
		}
		if r := l.Snapshot().Retries; len(r) != 1 || r[0].QuotaWaits != 1 || l.Snapshot().Idle {
			t.Fatalf("retries %+v", r)
		}
		l.kill()
		l = b.start()
		l.later(5*time.Hour - time.Minute)
		if n := len(b.runs.resumed()); n != 0 {
			t.Fatalf("%d resumes too early", n)
		}
		l.later(3 * time.Minute)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
		if r := b.runs.resumed(); len(r) != 1 || r[0].Attempt != 1 {
			t.Fatalf("resumes %+v", r)
		}
	})
}

func TestQuotaWithoutAResetBacksOffAndIsBounded(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.bots.resume = true
		b.runs.plan = func(Launch) script { return usedUp(0) }
		b.runs.goOn = func(Resume) script { return usedUp(0) }
		id := b.card()
		l := b.start()
		for n, want := range []time.Duration{10, 20, 40, 80, 160} {
			for b.ledger.of(id).QuotaWaits != n+1 {
				l.later(100 * time.Millisecond)
			}
			ended := b.runs.view(b.get(id).LastRunID).Record.FinishedAt
			if e := b.ledger.of(id); e.DueAt.Sub(ended) != want*time.Second || e.Attempts != 0 {
				t.Fatalf("wait %d: ledger %+v, due in %s", n+1, e, e.DueAt.Sub(ended))
			}
			l.kill()
			l = b.start()
		}
		l.later(time.Hour)
		b.settledIn(id, board.StateBlocked)
		if g := b.get(id).GivenUp(); g == nil || !strings.Contains(g.Reason, "6 times in a row") {
			t.Fatalf("stamp %+v", g)
		}
		b.launches(id, 1)
	})
}

func TestQuotaWaitIsBoundedInAll(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.bots.retry = QuotaRetry{MaxAttempts: 100, MaxWait: 10 * time.Hour}
		b.runs.plan = func(Launch) script { return usedUp(7 * time.Hour) }
		id := b.card()
		l := b.start()
		l.later(7*time.Hour + time.Minute)
		if e := b.ledger.of(id); e.QuotaWaits != 2 || e.DueAt.Sub(e.QuotaSince) != 10*time.Hour {
			t.Fatalf("ledger %+v", e)
		}
		l.later(4 * time.Hour)
		b.settledIn(id, board.StateBlocked)
	})
}

func TestQuotaAsTheBotWantsIt(t *testing.T) {
	for usage, want := range map[string]struct{ launches, resumes, attempts int }{
		UsageResume: {1, 1, 0}, UsageRestart: {2, 0, 0}, UsageFail: {1, 1, 1},
	} {
		t.Run(usage, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.bots.resume, b.bots.retry = true, QuotaRetry{UsageWindow: usage}
				first := true
				b.runs.plan = func(Launch) script {
					if first {
						first = false
						return usedUp(time.Hour)
					}
					return finishes(time.Second)
				}
				id := b.card()
				l := b.start()
				l.later(2 * time.Second)
				if e := b.ledger.of(id); e.Attempts != want.attempts {
					t.Fatalf("ledger %+v", e)
				}
				l.later(2 * time.Hour)
				b.settledIn(id, board.StateReview)
				b.launches(id, want.launches)
				if n := len(b.runs.resumed()); n != want.resumes {
					t.Fatalf("%d resumes", n)
				}
			})
		})
	}
}

// Mixed kinds of failure reset neither the attempts nor each other's bounds for ever:
// a wait for an allowance leaves the attempts, and each attempt leaves the next one.
func TestMixedFailuresDoNotResetTheAttempts(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxAttempts = 3
		kinds := []script{
			fails(time.Second, ""), usedUp(time.Minute), fails(time.Second, run.CodeSupervisorLost), fails(time.Second, run.CodeTimeout),
			fails(time.Second, run.CodeInterrupted), usedUp(0), fails(time.Second, run.CodeStall),
		}
		n := 0
		b.runs.plan = func(Launch) script {
			n++
			return kinds[(n-1)%len(kinds)]
		}
		id := b.card()
		l := b.start()
		l.later(time.Hour)
		b.settledIn(id, board.StateBlocked)
		b.launches(id, len(kinds))
		if g := b.get(id).GivenUp(); g == nil || g.Attempts != 3 {
			t.Fatalf("stamp %+v", g)
		}
	})
}

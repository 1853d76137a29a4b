package dispatch

import (
	"fmt"
	"time"
)

// How a bot wants its runs to be tried again whose allowance was used up, in the
// words of its manifest.
const (
	UsageResume  = "resume" // wait, then go on with the run where the bot can: the default
	UsageRestart = "fresh"  // wait, then start afresh
	UsageFail    = "off"    // like any other failure
)

// What holds where the bot says nothing.
const (
	quotaWaits   = 5
	quotaMaxWait = 192 * time.Hour
)

func (q QuotaRetry) withDefaults() QuotaRetry {
	orString(&q.UsageWindow, UsageResume)
	orInt(&q.MaxAttempts, quotaWaits)
	orDuration(&q.MaxWait, quotaMaxWait)
	return q
}

// waitForQuota waits until the bot may be used again, without spending an attempt.
// It waits so often in a row, and so long in all, as the bot allows; then the card
// is given up.
func (s *state) waitForQuota(c *card, reason string, now time.Time) []effect {
	q := c.bot.Retry.withDefaults()
	if q.UsageWindow == UsageFail {
		return s.failed(c, reason, now)
	}
	e := s.retries[c.issue.ID]
	if !e.accounts(c) {
		e.QuotaWaits++
	}
	e.account(c)
	if e.QuotaSince.IsZero() {
		e.QuotaSince = now.UTC()
	}
	e.IssueID, e.LastReason, e.Uncounted = c.issue.ID, reason, 0
	s.retries[c.issue.ID] = e
	last := e.QuotaSince.Add(q.MaxWait)
	if e.QuotaWaits > q.MaxAttempts || !now.Before(last) {
		return s.giveUp(c, fmt.Sprintf("the allowance was used up %d times in a row since %s: %s", e.QuotaWaits, clock(e.QuotaSince), reason), false, now)
	}
	e.DueAt = c.retryAt
	if !e.DueAt.After(now) {
		e.DueAt = now.Add(backoff(firstBackoff, e.QuotaWaits, s.cfg.MaxRetryBackoff))
	}
	if e.DueAt.After(last) {
		e.DueAt = last
	}
	e.DueAt, e.JitterMS = e.DueAt.UTC(), q.Jitter.Milliseconds()
	return s.revert(c, reason, e)
}

// accounts reports whether the ledger holds this outcome of the card's run already:
// a settlement that is done again by a later daemon counts nothing twice.
func (e RetryEntry) accounts(c *card) bool {
	return c.ran && e.LastRunID == c.runID && e.LastOutcome == c.outcome
}

// same reports whether two entries of a card say the same.
func (e RetryEntry) same(o RetryEntry) bool {
	return e.Attempts == o.Attempts && e.Uncounted == o.Uncounted && e.QuotaWaits == o.QuotaWaits &&
		e.LastRunID == o.LastRunID && e.LastOutcome == o.LastOutcome && e.DueAt.Equal(o.DueAt)
}

func (e *RetryEntry) account(c *card) {
	if c.ran {
		e.LastRunID, e.LastOutcome = c.runID, c.outcome
	}
}

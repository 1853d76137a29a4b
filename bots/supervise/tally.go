package supervise

import (
	"errors"
	"fmt"
	"math"

	"iterion/native/run"
)

// What one run can have cost and used. A bot that says more made a mistake, and
// sums stay far from overflow. The ledger has the same bound for dollars.
const (
	maxUSD    = 1e6
	maxTokens = 1e15
)

// tally is what a run has cost and used so far, over all its lives. It never
// falls. Dollars are counted in billionths, so that a thousand tenths of a cent
// are a dollar.
type tally struct {
	nanos   int64
	in, out int64
}

func tallyOf(rec run.Record) tally {
	return tally{nanos: nanos(rec.CostUSD), in: rec.TokensIn, out: rec.TokensOut}
}

func nanos(usd float64) int64 { return int64(math.Round(usd * 1e9)) }

func (t tally) usd() float64 { return float64(t.nanos) / 1e9 }

// into writes the totals into a record.
func (t tally) into(rec *run.Record) {
	rec.CostUSD, rec.TokensIn, rec.TokensOut = t.usd(), t.in, t.out
}

// report takes a cost report and says whether it changed anything.
func (t *tally) report(r report) (changed bool, err error) {
	if r.TotalUSD != nil {
		return t.total(*r.TotalUSD, max(r.TokensIn, r.TotalTokensIn), max(r.TokensOut, r.TotalTokensOut))
	}
	more, err := t.add(r.USD, r.TokensIn, r.TokensOut)
	if err != nil || (r.TotalTokensIn == 0 && r.TotalTokensOut == 0) {
		return more, err
	}
	total, err := t.total(0, r.TotalTokensIn, r.TotalTokensOut)
	return more || total, err
}

// add counts what came on top.
func (t *tally) add(usd, in, out float64) (changed bool, err error) {
	for _, n := range []float64{usd, in, out} {
		if n < 0 {
			return false, fmt.Errorf("%g is less than nothing", n)
		}
	}
	return t.total(t.usd()+usd, float64(t.in)+in, float64(t.out)+out)
}

// total raises the totals to what is said. A smaller one changes nothing: a bot
// that goes on may count from the beginning.
func (t *tally) total(usd, in, out float64) (changed bool, err error) {
	switch {
	case !(usd >= 0 && usd <= maxUSD): // true for NaN
		return false, fmt.Errorf("a run does not cost $%g", usd)
	case !(in >= 0 && in <= maxTokens && out >= 0 && out <= maxTokens):
		return false, errors.New("a run does not use so many tokens")
	}
	was := *t
	t.nanos = max(t.nanos, nanos(usd))
	t.in, t.out = max(t.in, int64(in)), max(t.out, int64(out))
	return *t != was, nil
}

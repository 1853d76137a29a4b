package spend

import (
	"fmt"
	"math"
)

// nanos is an amount in billionths of a dollar.
type nanos int64

const perDollar = 1e9

// maxUSD bounds what one run can have cost: above it a report is a mistake, and
// sums stay far from overflow.
const maxUSD = 1e6

func toNanos(usd float64) nanos {
	if usd >= math.MaxInt64/perDollar { // a cap may be set as high as one likes
		return math.MaxInt64
	}
	return nanos(math.Round(usd * perDollar))
}

func (n nanos) usd() float64 { return float64(n) / perDollar }

// sane reports whether usd can be what a run has cost.
func sane(usd float64) bool { return usd >= 0 && usd <= maxUSD } // false for NaN

// Dollars shows an amount to the cent, and a smaller one as it is.
func Dollars(usd float64) string {
	if usd != 0 && math.Abs(usd) < 0.01 {
		return fmt.Sprintf("$%.2g", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

package dispatch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// simCase is one history: what the bots of each card are going to do, and what
// happens around them. It is all that decides how the history goes, so that a case
// that was printed can be pasted into a table and played again.
type simCase struct {
	plans  []string // by card: what its runs do, one letter a going, see simRuns.end; then they finish
	rigid  bool     // the bots cannot go on with a run
	blocks bool     // the last card waits for the first
	steps  []simStep
}

// simStep is one thing that happens. What a and n mean is the op's business, see
// sim.do; r seeds the choices among the calls that may be served in any order.
type simStep struct {
	op   string
	a, n int
	r    uint32
}

const simCards = 4

// simOps are what may happen, each as often as its weight says.
var simOps = []struct {
	op     string
	weight int
	most   int // n is below
}{
	{"pass", 22, 20_000}, {"serve", 14, 12}, {"hop", 14, 9000}, {"wait", 2, 400_000},
	{"start", 5, 1}, {"kill", 6, 1}, {"crash", 8, 30}, {"stop", 2, 1}, {"suspend", 3, 1}, {"wake", 4, 1},
	{"move", 6, 5}, {"reopen", 2, 1}, {"clear", 3, 1}, {"force", 8, 2}, {"delete", 1, 8},
	{"comment", 1, 1}, {"bot", 1, 2}, {"cancel", 6, 1}, {"answer", 5, 1}, {"hold", 2, 1}, {"resume", 4, 1},
	{"fail", 2, 40}, {"lose", 2, 40}, {"mend", 3, 1}, {"unreadable", 1, 1}, {"readable", 2, 1},
	{"orphan", 3, 1}, {"launches", 2, 3}, {"space", 2, 4}, {"spend", 3, 3},
	{"pause", 2, 1}, {"unpause", 3, 1}, {"jump", 1, 3600}, {"look", 4, 1},
}

// randomCase makes the case of a seed.
func randomCase(seed uint64) simCase {
	rng := rand.New(rand.NewPCG(seed, 20_11))
	c := simCase{rigid: rng.IntN(4) == 0, blocks: rng.IntN(4) == 0}
	for range simCards {
		plan := ""
		for range rng.IntN(7) {
			plan += string("...ffrrPlaaqqhimMRk"[rng.IntN(19)])
		}
		c.plans = append(c.plans, plan)
	}
	total := 0
	for _, o := range simOps {
		total += o.weight
	}
	for range 20 + rng.IntN(40) {
		at := rng.IntN(total)
		for _, o := range simOps {
			if at -= o.weight; at < 0 {
				c.steps = append(c.steps, simStep{o.op, rng.IntN(simCards), rng.IntN(o.most), rng.Uint32()})
				break
			}
		}
	}
	return c
}

// String is the case as Go source.
func (c simCase) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "simCase{plans: %#v, rigid: %v, blocks: %v, steps: []simStep{\n", c.plans, c.rigid, c.blocks)
	for _, s := range c.steps {
		fmt.Fprintf(&b, "\t{%q, %d, %d, %d},\n", s.op, s.a, s.n, s.r)
	}
	return b.String() + "}}"
}

// shrink looks for a shorter case that fails as well: without halves of the steps,
// then without smaller parts, then with simpler numbers and plainer bots.
func shrink(c simCase, fails func(simCase) bool) simCase {
	for changed := true; changed; {
		c, changed = drop(c, fails)
	}
	for i := range c.steps {
		for _, simpler := range []func(*simStep){
			func(s *simStep) { s.r = 0 }, func(s *simStep) { s.n = 0 }, func(s *simStep) { s.n = s.n / 1000 * 1000 },
		} {
			try := c
			try.steps = slices.Clone(c.steps)
			if simpler(&try.steps[i]); try.steps[i] != c.steps[i] && fails(try) {
				c = try
			}
		}
	}
	for i := range c.plans {
		for j := len(c.plans[i]); j > 0; j-- {
			try := c
			try.plans = slices.Clone(c.plans)
			if try.plans[i] = c.plans[i][:j-1]; fails(try) {
				c = try
			}
		}
	}
	return c
}

func drop(c simCase, fails func(simCase) bool) (simCase, bool) {
	changed := false
	for size := max(len(c.steps)/2, 1); size > 0; size /= 2 {
		for at := 0; at+size <= len(c.steps); {
			try := c
			try.steps = slices.Delete(slices.Clone(c.steps), at, at+size)
			if fails(try) {
				c, changed = try, true
			} else {
				at += size
			}
		}
	}
	return c, changed
}

package dispatch

import (
	"slices"
	"testing"
)

// simMutant is a world, or a dispatcher, with one of its safeguards switched off.
type simMutant struct {
	name        string
	from        uint64 // first seed, where the case that shows it is a rare one
	fence       bool   // the board takes writes of holders that it does not have
	steal       bool   // a claim succeeds although the card is claimed
	blind       bool   // live runs of a card are not looked for
	lateJournal bool   // the run id is not journalled before the launch
	selfish     bool   // the journal entries of living daemons are not looked at
	forgetful   bool   // the retry ledger is not saved
	twice       bool   // the ledger forgets which failure it counted
	noAdopt     bool   // nobody takes over from the dead
	adoptAll    bool   // everybody takes over from the living
	guard       string // a row of the guard table that is passed over
	message     func(message) message
	state       func(*state)
	effect      func([]effect) []effect
}

// without lets no effect through that is like the example.
func without[E effect]() func([]effect) []effect {
	return func(fx []effect) []effect {
		return slices.DeleteFunc(fx, func(e effect) bool { _, ok := e.(E); return ok })
	}
}

// keepSlots is a dispatcher whose parked and held cards go on using their slots.
func keepSlots(s *state) {
	for _, c := range s.cards {
		c.slot = c.slot || c.phase == PhaseParked || c.phase == PhaseHeld
	}
}

// filing changes the settlements that a dispatcher has carried out.
func filing(change func(*plan)) func([]effect) []effect {
	return func(fx []effect) []effect {
		for i, e := range fx {
			if f, ok := e.(settle); ok {
				change(&f.plan)
				fx[i] = f
			}
		}
		return fx
	}
}

func simMutants() []simMutant {
	return []simMutant{
		{name: "the board ignores the fence", fence: true, from: 3700},
		{name: "the board gives claimed cards away", steal: true},
		{name: "live runs are not looked for", blind: true},
		{name: "the run id is journalled after the launch", lateJournal: true},
		{name: "nobody heeds what others are launching", selfish: true, from: 3600},
		{name: "the retry ledger is not saved", forgetful: true},
		{name: "a failure is counted twice", twice: true},
		{name: "nobody takes over from the dead", noAdopt: true},
		{name: "everybody takes over from the living", adoptAll: true},
		{name: "no guard: paused", guard: guardPaused},
		{name: "no guard: spend", guard: guardSpend},
		{name: "no guard: slots", guard: "slots"},
		{name: "no guard: retry due", guard: guardRetry},
		{name: "no guard: blockers", guard: "blockers"},
		{name: "no guard: last run", guard: "last run"},
		{name: "no guard: operator cancel", guard: "operator cancel"},
		{name: "no guard: bot", guard: "bot"},
		{name: "slots are not given back", state: keepSlots},
		{name: "stops are not sent", effect: without[sendStop]()},
		{name: "nobody looks after kept cards", effect: without[probe]()},
		{name: "runs are not awaited again after a restart", effect: without[awaitRun]()},
		{name: "claims are not renewed", effect: without[startBeat]()},
		{name: "filings carry no reason", effect: filing(func(p *plan) { p.cause = "" })},
		{name: "who gives up does not say why", effect: filing(func(p *plan) { p.gaveUp = nil })},
		{name: "parked cards are let go", effect: filing(func(p *plan) {
			if p.verdict == Parked {
				p.verdict = Released
			}
		})},
		{name: "finished cards stay where they are", effect: filing(func(p *plan) {
			if p.verdict == Completed {
				p.to = ""
			}
		})},
		{name: "runs are never stamped", effect: filing(func(p *plan) { p.stamped = true })},
		{name: "kept cards tell no reason", state: func(s *state) {
			for _, c := range s.cards {
				c.reason = ""
			}
		}},
	}
}

// mutantSeeds are enough for every mutant, from where its search begins.
const mutantSeeds = 2000

// The simulation bites: with any one safeguard switched off it fails.
func TestSimulationMissesEverySafeguard(t *testing.T) {
	for _, m := range simMutants() {
		t.Run(m.name, func(t *testing.T) {
			leftOut = m.guard
			defer func() { leftOut = "" }()
			for n := range uint64(mutantSeeds) {
				if bad, _ := play(t, randomCase(m.from+n), m); bad != "" {
					t.Logf("after %d seeds: %s", n+1, bad)
					return
				}
			}
			t.Errorf("nobody missed it in %d seeds", mutantSeeds)
		})
	}
}

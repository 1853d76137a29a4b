package dispatch

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var (
	seeds     = flag.Int("seeds", 2000, "random histories of the simulation")
	firstSeed = flag.Uint64("seed", 0, "the first of them")
)

// The simulation plays random histories: dispatchers that share a board, are
// started, killed at any point and stopped; people who move, clear, cancel, answer,
// pause and take cards by force; bots that do all that bots do; stores that fail,
// hang and lose answers; a clock that jumps. After everything that happens one run
// of a card is alive at most, each claim has one owner, and whoever writes says
// who; and when the world has calmed down each card is where a disposition puts it.
func TestI1I3I6I9_RandomHistories(t *testing.T) {
	n := *seeds
	if testing.Short() {
		n = min(n, 100)
	}
	const lanes = 4
	for lane := range uint64(lanes) {
		t.Run(fmt.Sprint("lane ", lane), func(t *testing.T) {
			t.Parallel()
			for seed := *firstSeed + lane; seed < *firstSeed+uint64(n); seed += lanes {
				c := randomCase(seed)
				if bad, _ := play(t, c, simMutant{}); bad != "" {
					report(t, seed, c, bad)
				}
			}
		})
	}
}

// report shrinks a case that fails, and prints it.
func report(t *testing.T, seed uint64, c simCase, bad string) {
	kind, _, _ := strings.Cut(bad, ":")
	small := shrink(c, func(c simCase) bool {
		other, _ := play(t, c, simMutant{})
		return strings.HasPrefix(other, kind[:min(len(kind), 2)])
	})
	bad, trace := play(t, small, simMutant{})
	t.Fatalf("seed %d: %s\n%s\n%s", seed, bad, small, excerpt(trace))
}

// excerpt is what happened, without most of the long quiet at the end.
func excerpt(trace []string) string {
	for i, line := range trace {
		if strings.HasSuffix(line, " calm") && len(trace) > i+160 {
			trace = slices.Concat(trace[:i+120], []string{"..."}, trace[len(trace)-40:])
			break
		}
	}
	return strings.Join(trace, "\n")
}

// A case goes the same way however often it is played.
func TestSimulationIsDeterministic(t *testing.T) {
	for seed := range uint64(20) {
		_, first := play(t, randomCase(seed), simMutant{})
		_, again := play(t, randomCase(seed), simMutant{})
		for i := range first {
			if i >= len(again) || first[i] != again[i] {
				t.Fatalf("seed %d, line %d:\n%s", seed, i, strings.Join(first[max(0, i-5):i+1], "\n")+"\nthen\n"+fmt.Sprint(again[max(0, i-5):min(i+1, len(again))]))
			}
		}
	}
}

package main

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var (
	tortureFor  = flag.Duration("torture", 0, "how long each torture test lasts; 0: as long as fits into a run of all tests")
	tortureSeed = flag.Uint64("torture-seed", 0, "repeat the choices of an earlier torture; 0: new ones")
)

// torment returns the source of a torture's choices, and tells how to have the
// same ones again.
func torment(t *testing.T) *rand.Rand {
	t.Helper()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	seed := *tortureSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-torture-seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

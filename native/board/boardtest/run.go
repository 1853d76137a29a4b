package boardtest

import (
	"slices"
	"testing"

	"iterion/native/board"
)

// Run runs the suite over the twin that open opens. Each call of open gives a
// new, empty store with the default schema, and cleans up with t.
func Run(t *testing.T, open func(t *testing.T) board.Store) {
	all := slices.Concat(cardCases(), columnCases(), blockerCases(), claimCases(), transferCases(), holderCases(), boardCases(), batchCases(), importCases())
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) { c.run(newBed(t, open(t))) })
	}
	t.Run("TestI2_SupersededHolderIsRefused", func(t *testing.T) { supersededHolder(t, open) })
	t.Run("TestI4_EveryChangeHasOneEvent", func(t *testing.T) { everyChangeHasOneEvent(t, open) })
}

// testCase is one behaviour of the contract; its name says which.
type testCase struct {
	name string
	run  func(b *bed)
}

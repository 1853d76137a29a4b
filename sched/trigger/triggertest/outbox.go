package triggertest

import (
	"slices"
	"testing"

	"iterion/sched/trigger"
)

// testCase is one behaviour of the contract; its name says which.
type testCase struct {
	name string
	run  func(b *bed)
}

// RunOutbox runs the suite over the twin that open opens. Each call of open gives a
// new, empty outbox, and cleans up with t.
func RunOutbox(t *testing.T, open func(t *testing.T) trigger.Outbox) {
	for _, c := range slices.Concat(addCases(), claimCases(), markCases(), operatorCases(), waitCases()) {
		t.Run(c.name, func(t *testing.T) { c.run(newBed(t, open(t))) })
	}
	t.Run("TestI8_ManyClaimersNeverShareARow", func(t *testing.T) { manyClaimers(t, open(t)) })
	t.Run("AnEndedContextChangesNothing", func(t *testing.T) { endedContext(newBed(t, open(t))) })
}

// OutboxDurable runs the cases of an outbox that survives its process. Each call of
// open gives a new, empty outbox and a function that opens its data once more, as a
// second process would while the first is still there.
func OutboxDurable(t *testing.T, open func(t *testing.T) (trigger.Outbox, func() trigger.Outbox)) {
	for _, c := range durableCases() {
		t.Run(c.name, func(t *testing.T) {
			box, again := open(t)
			c.run(newBed(t, box), again)
		})
	}
}

package main

import (
	"testing"

	"iterion/daemon/dispatch"
	"iterion/daemon/watchdog"
	"iterion/sched/trigger"
)

// The rooms do not import each other, so that only here can be seen that they mean
// the same names.
func TestI9_TriggersKnowTheNamesOfTheMachines(t *testing.T) {
	for _, actor := range []string{dispatch.Actor, watchdog.Actor, trigger.Actor} {
		if trigger.Silent(trigger.Event{Source: trigger.SourceBoard, Kind: trigger.CardMoved, Actor: actor}) == "" {
			t.Errorf("what %s writes by itself fires triggers", actor)
		}
	}
}

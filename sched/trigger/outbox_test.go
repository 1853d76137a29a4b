package trigger_test

import (
	"encoding/json"
	"testing"

	"iterion/sched/trigger"
	"iterion/sched/trigger/triggertest"
)

func TestMemoryOutbox(t *testing.T) {
	triggertest.RunOutbox(t, func(*testing.T) trigger.Outbox { return trigger.NewMemory() })
}

func TestMemoryInbox(t *testing.T) {
	triggertest.RunInbox(t, func(*testing.T) trigger.Inbox { return trigger.NewMemoryInbox() })
}

// A row that a newer version wrote keeps what it says.
func TestUnknownKeysOfARowAreWrittenBack(t *testing.T) {
	const in = `{"id":"e|s","kind":"launch","event_id":"e","event":{"id":"e","source":"board","kind":"card.moved","occurred_at":"2026-03-01T12:00:00Z"},"state":"pending","attempts":0,"created_at":"2026-03-01T12:00:00Z","updated_at":"2026-03-01T12:00:00Z","novel":{"x":[1,2]}}`
	var e trigger.Effect
	if err := json.Unmarshal([]byte(in), &e); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != in {
		t.Errorf("written back as\n%s\nread from\n%s", out, in)
	}
}

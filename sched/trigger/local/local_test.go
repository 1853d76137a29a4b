package local

import (
	"path/filepath"
	"testing"

	"iterion/sched/trigger"
	"iterion/sched/trigger/triggertest"
)

func outboxIn(dir string, o Options) *Outbox {
	return OpenOutbox(filepath.Join(dir, "trigger-effects.json"), filepath.Join(dir, "trigger-effects.log"), o)
}

func inboxIn(dir string, o Options) *Inbox {
	return OpenInbox(filepath.Join(dir, "trigger-inbox.jsonl"), o)
}

// variants are the ways in which the twins are run through their suites: as they are,
// and with a snapshot after nearly every change.
var variants = []struct {
	name string
	o    Options
}{
	{"Usual", Options{NoFsync: true}},
	{"AlwaysCompacting", Options{NoFsync: true, CompactAt: 1}},
	{"Durable", Options{}},
}

func TestFileOutbox(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			triggertest.RunOutbox(t, func(t *testing.T) trigger.Outbox { return outboxIn(t.TempDir(), v.o) })
			triggertest.OutboxDurable(t, func(t *testing.T) (trigger.Outbox, func() trigger.Outbox) {
				dir := t.TempDir()
				return outboxIn(dir, v.o), func() trigger.Outbox { return outboxIn(dir, v.o) }
			})
		})
	}
}

func TestFileInbox(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			triggertest.RunInbox(t, func(t *testing.T) trigger.Inbox { return inboxIn(t.TempDir(), v.o) })
			triggertest.InboxDurable(t, func(t *testing.T) (trigger.Inbox, func() trigger.Inbox) {
				dir := t.TempDir()
				return inboxIn(dir, v.o), func() trigger.Inbox { return inboxIn(dir, v.o) }
			})
		})
	}
}

package trigger_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"iterion/bots/manifest"
	"iterion/sched/trigger"
)

func TestEnableFromRefusesWhatCouldNotFire(t *testing.T) {
	many := bundle(t, "lint", manyWays)
	hasty := trigger.Bundle{Slug: "hasty", Manifest: manifest.Manifest{Enabled: true, Invocations: []manifest.Invocation{
		{Kind: "keepalive", Keepalive: &manifest.OnKeepalive{Interval: time.Second}}, {Kind: "keepalive"},
	}}}
	plain := trigger.Bundle{Slug: "plain", Manifest: manifest.Manifest{Enabled: true}}
	for _, c := range []struct {
		name  string
		bot   trigger.Bundle
		index int
		cron  string
		what  string
	}{
		{"an index out of range", many, 7, "", "index 7 is out of range"},
		{"none of several", many, -1, "", "has 7 invocations, say which: 0 board, 1 board, 2 schedule"},
		{"a bot without any", plain, -1, "", "no invocations"},
		{"a cron for a board invocation", many, 1, "@daily", "only a schedule"},
		{"a cron for a keepalive", many, 4, "@daily", "only a schedule"},
		{"a schedule without a cron", many, 3, "", "suggests no cron"},
		{"a cron that is none", many, 3, "nonsense", "nonsense"},
		{"a board invocation without its block", many, 0, "", "no board block"},
		{"a keepalive in a hurry", hasty, 0, "", "no valid interval"},
		{"a keepalive without its block", hasty, 1, "", "no valid interval"},
		{"a command", many, 5, "", "not fired by a local daemon"},
		{"a forge event", many, 6, "", "not fired by a local daemon"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := newShelf(t, "", many).load()
			_, _, err := trigger.EnableFrom(set, c.bot, c.index, c.cron, "")
			if !errors.Is(err, trigger.ErrInvalid) || !strings.Contains(err.Error(), c.what) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestEnableFromPutsAnInvocationInForceOnce(t *testing.T) {
	b := bundle(t, "lint", manyWays)
	b.BuiltIn = true
	s := newShelf(t, "", b)
	enable := func(index int, cron string) (trigger.Subscription, error) {
		t.Helper()
		id, settings, err := trigger.EnableFrom(s.load(), b, index, cron, "")
		if err != nil {
			return trigger.Subscription{}, err
		}
		return s.file().Edit(t.Context(), id, settings...)
	}
	if got := ok(enable(3, "0 4 * * *"))(t); got.ID != "manifest:lint:schedule:2" || !got.Active() || got.Cron != "0 4 * * *" {
		t.Errorf("the second schedule: %+v", got)
	}
	_, err := enable(2, "")
	var taken *trigger.TakenError
	if !errors.As(err, &taken) || !errors.Is(err, trigger.ErrExists) || taken.Existing.ID != "manifest:lint:schedule:2" || !strings.Contains(err.Error(), "manifest:lint:schedule:2") {
		t.Errorf("a second trigger of the kind: %v", err)
	}
	if got := ok(enable(1, ""))(t); got.ID != "manifest:lint:board:1" || !got.Active() {
		t.Errorf("a board invocation: %+v", got)
	}
	if got := ok(enable(4, ""))(t); got.ID != "manifest:lint:keepalive:1" || !got.Active() {
		t.Errorf("a keepalive: %+v", got)
	}
	mine, _ := trigger.New("watch", trigger.OnKeepalive)
	mine.ID, mine.Interval = "alive", trigger.Duration(time.Minute)
	ok(s.file().Add(t.Context(), mine))(t)
	w := bundle(t, "watch", "  - {kind: keepalive, keepalive: {interval: 30s}}\n")
	s.bundles = append(s.bundles, w)
	if _, _, err := trigger.EnableFrom(s.load(), w, -1, "", ""); !errors.As(err, &taken) || taken.Existing.ID != "alive" {
		t.Errorf("beside the operator's own: %v", err)
	}
}

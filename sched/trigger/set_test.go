package trigger_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/bots/manifest"
	"iterion/sched/gate"
	"iterion/sched/trigger"
)

// bundle parses the invocations of a bot's manifest.
func bundle(t *testing.T, slug, invocations string) trigger.Bundle {
	t.Helper()
	text := fmt.Sprintf("name: %s\nrun: {command: [\"true\"]}\ninvocations:\n%s", slug, invocations)
	return trigger.Bundle{Slug: slug, Path: slug, Manifest: ok(manifest.Parse(slug+"/manifest.yaml", []byte(text)))(t)}
}

// shelf is a triggers.yaml and bots beside it.
type shelf struct {
	*testing.T
	trigger.Options
	bundles []trigger.Bundle
}

func newShelf(t *testing.T, yaml string, bundles ...trigger.Bundle) *shelf {
	s := &shelf{T: t, bundles: bundles}
	s.Options = trigger.Options{Path: filepath.Join(t.TempDir(), "triggers.yaml"), Bundles: func() []trigger.Bundle { return s.bundles }}
	if yaml != "" {
		s.write(yaml)
	}
	return s
}

func (s *shelf) write(yaml string) {
	s.Helper()
	if err := os.WriteFile(s.Path, []byte(yaml), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) load() trigger.Set {
	s.Helper()
	return ok(trigger.Load(s.Options))(s)
}

// lines says of each subscription what it is, in short.
func lines(set trigger.Set) []string {
	out := []string{}
	for _, s := range set.All() {
		state := "on"
		if !s.Active() {
			state = "off"
		}
		out = append(out, fmt.Sprintf("%s %s %s %s%s", s.ID, s.Invocation, state, s.Cron, strings.Join(s.Match.Kinds, ",")))
	}
	return out
}

func (s *shelf) holds(want ...string) {
	s.Helper()
	if diff := cmp.Diff(want, lines(s.load())); diff != "" {
		s.Error(diff)
	}
}

const manyWays = `
  - {kind: board}
  - {kind: board, mode: direct, args_var: a, board: {on: [card.moved], to_states: [ready], all_labels: [ci], consume_labels: true}}
  - {kind: schedule, schedule: {suggested_cron: "0 2 * * 1", default_vars: {x: "1"}}}
  - {kind: schedule}
  - {kind: keepalive, keepalive: {interval: 30s, stale_after: 2m}}
  - {kind: command, command: {name: lint, aliases: [fix]}}
  - {kind: forge, forge: {event: push, actions: [created]}}
`

func TestAManifestIsASourceOfSubscriptions(t *testing.T) {
	s := newShelf(t, "", bundle(t, "lint", manyWays))
	stale := trigger.Duration(2 * time.Minute)
	want := []trigger.Subscription{
		{ID: "manifest:lint:board:1", BotID: "lint", Invocation: trigger.OnBoard, Mode: trigger.Direct, ArgsVar: "a", ConsumeLabels: true, Enabled: true,
			Match: trigger.Match{Sources: []string{"board"}, Kinds: []string{"card.moved"}, States: []string{"ready"}, AllLabels: []string{"ci"}}},
		{ID: "manifest:lint:schedule:1", BotID: "lint", Invocation: trigger.OnSchedule, Mode: trigger.Direct, Cron: "0 2 * * 1", Vars: map[string]string{"x": "1"}, Enabled: true},
		{ID: "manifest:lint:schedule:2", BotID: "lint", Invocation: trigger.OnSchedule, Mode: trigger.Direct},
		{ID: "manifest:lint:keepalive:1", BotID: "lint", Invocation: trigger.OnKeepalive, Mode: trigger.Direct, Interval: trigger.Duration(30 * time.Second), StaleAfter: stale, Overlap: gate.Keepalive, Enabled: true},
		{ID: "manifest:lint:command:1", BotID: "lint", Invocation: trigger.OnCommand, Mode: trigger.Direct, Enabled: true,
			Match: trigger.Match{Sources: []string{"forge"}, Kinds: []string{"command"}, Actions: []string{"lint", "fix"}}},
		{ID: "manifest:lint:forge:1", BotID: "lint", Invocation: trigger.OnForge, Mode: trigger.Direct, Enabled: true,
			Match: trigger.Match{Sources: []string{"forge"}, Kinds: []string{"push"}, Actions: []string{"created"}}},
	}
	for i := range want {
		want[i].Origin = trigger.FromManifest
	}
	set := s.load()
	if diff := cmp.Diff(want, set.All()); diff != "" {
		t.Error(diff)
	}
	if len(set.Problems) > 0 {
		t.Error(set.Problems)
	}
	if n, m := len(set.Clocks()), len(set.Listeners()); n != 2 || m != 1 {
		t.Errorf("%d clocks, %d listeners", n, m)
	}
}

func TestWhatABuiltInBotAsksForIsOff(t *testing.T) {
	b := bundle(t, "lint", "  - {kind: keepalive, keepalive: {interval: 30s}}\n")
	b.BuiltIn = true
	s := newShelf(t, "", b)
	s.holds("manifest:lint:keepalive:1 keepalive off ")
	s.write("triggers:\n  - {id: 'manifest:lint:keepalive:1', enabled: true}\n")
	s.holds("manifest:lint:keepalive:1 keepalive on ")
}

func TestOnlyTheFirstBundleOfASlugCounts(t *testing.T) {
	newShelf(t, "", bundle(t, "my-bot", "  - {kind: schedule, schedule: {suggested_cron: '@daily'}}\n"),
		bundle(t, "my_bot", "  - {kind: schedule, schedule: {suggested_cron: '@hourly'}}\n"),
	).holds("manifest:my-bot:schedule:1 schedule on @daily")
}

func TestDerivedIdsFollowTheirInvocations(t *testing.T) {
	const moved, labeled, created = "  - {kind: board, board: {on: [card.moved]}}\n", "  - {kind: board, board: {on: [card.labeled]}}\n", "  - {kind: board, board: {on: [card.created]}}\n"
	s := newShelf(t, "", bundle(t, "b", moved+labeled))
	s.holds("manifest:b:board:1 board on card.moved", "manifest:b:board:2 board on card.labeled")
	remember := func() {
		t.Helper()
		if err := s.load().Remember(t.Context(), trigger.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	remember()
	for _, step := range []struct {
		name        string
		invocations string
		want        []string
	}{
		{"moved about", labeled + moved, []string{"manifest:b:board:1 board on card.moved", "manifest:b:board:2 board on card.labeled"}},
		{"one put in front", created + labeled + moved,
			[]string{"manifest:b:board:1 board on card.moved", "manifest:b:board:2 board on card.labeled", "manifest:b:board:3 board on card.created"}},
		{"the first taken out", labeled + moved, []string{"manifest:b:board:1 board on card.moved", "manifest:b:board:2 board on card.labeled"}},
		{"one changed where it stands", created + moved, []string{"manifest:b:board:1 board on card.moved", "manifest:b:board:2 board on card.created"}},
	} {
		s.bundles = []trigger.Bundle{bundle(t, "b", step.invocations)}
		t.Log(step.name)
		s.holds(step.want...)
		remember()
	}
}

func TestTheOperatorsRows(t *testing.T) {
	s := newShelf(t, `# mine
version: 1
triggers:
  - id: nightly
    bot_id: lint
    cron: "30 3 * * *"
    tz: Europe/Berlin
    catch_up: 1h
    overlap: allow
    max_concurrent: 2
    guard: test -e x
    vars: {depth: 2, on: yes}
    retry_max_wait: 2h
    from_the_future: {x: 1}
  - id: on-ready
    bot_id: lint
    invocation: board
    mode: board
    match: {kinds: card.moved, states: [ready], all_labels: [CI]}
    consume_labels: true
    enabled: false
  - id: alive
    bot_id: watch
    interval: 1m
  - id: deployed
    bot_id: lint
    match: {kinds: [deploy.done]}
`)
	set := s.load()
	if len(set.Problems) > 0 {
		t.Fatal(set.Problems)
	}
	hour := trigger.Duration(time.Hour)
	want := []trigger.Subscription{
		{ID: "nightly", BotID: "lint", Invocation: trigger.OnSchedule, Mode: trigger.Direct, Cron: "30 3 * * *", TZ: "Europe/Berlin", CatchUp: &hour,
			Overlap: gate.Allow, MaxConcurrent: 2, Guard: "test -e x", Vars: map[string]string{"depth": "2", "on": "yes"}, Enabled: true,
			RetryMaxWait: trigger.Duration(2 * time.Hour)},
		{ID: "on-ready", BotID: "lint", Invocation: trigger.OnBoard, Mode: trigger.Promote, ConsumeLabels: true,
			Match: trigger.Match{Sources: []string{"board"}, Kinds: []string{"card.moved"}, States: []string{"ready"}, AllLabels: []string{"CI"}}},
		{ID: "alive", BotID: "watch", Invocation: trigger.OnKeepalive, Mode: trigger.Direct, Interval: trigger.Duration(time.Minute), Overlap: gate.Keepalive, Enabled: true},
		{ID: "deployed", BotID: "lint", Invocation: trigger.OnBoard, Mode: trigger.Direct, Enabled: true, Match: trigger.Match{Kinds: []string{"deploy.done"}}},
	}
	for i := range want {
		want[i].Origin = trigger.FromOperator
	}
	if diff := cmp.Diff(want, set.All()); diff != "" {
		t.Error(diff)
	}
}

func TestARowRetunesWhatAManifestAsksFor(t *testing.T) {
	s := newShelf(t, `triggers:
  - {id: "manifest:lint:board:1", enabled: false}
  - {id: "manifest:lint:schedule:1", cron: "0 4 * * *", vars: {x: "2"}}
  - {id: "manifest:lint:schedule:2", cron: "@daily"}
  - {id: "manifest:lint:keepalive:1", stale_after: 10m}
`, bundle(t, "lint", manyWays))
	set := s.load()
	if len(set.Problems) > 0 {
		t.Fatal(set.Problems)
	}
	get := func(id string) trigger.Subscription { t.Helper(); return ok(set.Get("manifest:lint:" + id))(t) }
	if b := get("board:1"); b.Active() || !b.Retuned || !b.ConsumeLabels || b.Match.States[0] != "ready" || b.Origin != trigger.FromManifest {
		t.Errorf("disabled: %+v", b)
	}
	if c := get("schedule:1"); !c.Active() || c.Cron != "0 4 * * *" || c.Vars["x"] != "2" {
		t.Errorf("another cron: %+v", c)
	}
	if c := get("schedule:2"); !c.Active() || c.Cron != "@daily" {
		t.Errorf("a cron where the manifest has none: %+v", c)
	}
	if k := get("keepalive:1"); k.StaleAfter != trigger.Duration(10*time.Minute) || k.Interval != trigger.Duration(30*time.Second) {
		t.Errorf("another stale_after: %+v", k)
	}
}

func TestAPoisonedRowIsNamedAndStopsNoOther(t *testing.T) {
	for _, c := range []struct{ name, row, line, what string }{
		{"no mapping", "just text", "3", "not a mapping"},
		{"no id", "{bot_id: b, cron: '@daily'}", "3", "id is missing"},
		{"no bot", "{id: x, cron: '@daily'}", "3", "bot_id is missing"},
		{"a bot that cannot be", "{id: x, bot_id: My Bot, cron: '@daily'}", "3", "no bot's name"},
		{"an id with a blank", "{id: a b, bot_id: b, cron: '@daily'}", "3", "blank"},
		{"an unknown kind", "{id: x, bot_id: b, invocation: cron}", "3", "not one of board, schedule"},
		{"a key misspelt", "{id: x, bot_id: b, crno: '@daily'}", "3", "did you mean cron?"},
		{"a dimension misspelt", "{id: x, bot_id: b, match: {state: [a]}}", "3", "did you mean states?"},
		{"a kind of event misspelt", "{id: x, bot_id: b, match: {kinds: [card.move]}}", "3", "did you mean card.moved?"},
		{"a source that there is not", "{id: x, bot_id: b, match: {sources: [github]}}", "3", "not one of forge"},
		{"a key twice", "{id: x, bot_id: b, cron: '@daily', cron: '@daily'}", "3", "twice"},
		{"a bad expression", "{id: x, bot_id: b, cron: '61 * * * *'}", "3", "cron"},
		{"an unknown zone", "{id: x, bot_id: b, cron: '@daily', tz: Mars/Base}", "3", "cron"},
		{"a schedule without a clock", "{id: x, bot_id: b, invocation: schedule}", "3", "cron is missing"},
		{"a keepalive in a hurry", "{id: x, bot_id: b, interval: 1s}", "3", "at least 5s"},
		{"a span that is none", "{id: x, bot_id: b, interval: often}", "3", "duration"},
		{"a mode that there is not", "{id: x, bot_id: b, mode: both}", "3", "neither direct"},
		{"a clock that would stamp", "{id: x, bot_id: b, cron: '@daily', mode: board}", "3", "needs a card"},
		{"labels of a clock", "{id: x, bot_id: b, cron: '@daily', match: {kinds: [card.moved]}}", "3", "goes only with events"},
		{"an overlap of an event", "{id: x, bot_id: b, overlap: skip}", "3", "only with the clocks"},
		{"an overlap that there is not", "{id: x, bot_id: b, cron: '@daily', overlap: queue}", "3", "overlap"},
		{"nothing to take off", "{id: x, bot_id: b, consume_labels: true}", "3", "all_labels"},
		{"a value of the wrong shape", "{id: x, bot_id: [b]}", "3", "not a text"},
		{"retunes nothing", "{id: 'manifest:gone:board:1', enabled: false}", "3", "retunes nothing"},
		{"an id that is taken", "{id: good, bot_id: b, cron: '@daily'}", "4", "first row counts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			good := "  - {id: good, bot_id: b, cron: '@hourly'}\n"
			yaml := "version: 1\ntriggers:\n  - " + c.row + "\n" + good
			if c.line == "4" {
				yaml = "version: 1\ntriggers:\n" + good + "  - " + c.row + "\n"
			}
			s := newShelf(t, yaml)
			set := s.load()
			if len(set.Problems) != 1 {
				t.Fatalf("problems: %v", set.Problems)
			}
			p := set.Problems[0]
			if !strings.Contains(p.What, c.what) || !strings.HasPrefix(p.String(), s.Path+":"+c.line+": ") {
				t.Errorf("problem %s", p)
			}
			if g, err := set.Get("good"); err != nil || !g.Active() || g.Cron != "@hourly" {
				t.Errorf("the good row: %+v %v", g, err)
			}
			if len(set.Clocks()) != 1 || len(set.Listeners()) != 0 {
				t.Error("a poisoned row is in force")
			}
		})
	}
}

func TestARowThatIsWrongKeepsItsDerivedSubscriptionOff(t *testing.T) {
	for _, row := range []string{"enabled: maybe", "cron: nonsense", "bot_id: other", "invocation: board"} {
		s := newShelf(t, "triggers:\n  - {id: 'manifest:b:schedule:1', "+row+"}\n", bundle(t, "b", "  - {kind: schedule, schedule: {suggested_cron: '@daily'}}\n"))
		if set := s.load(); len(set.Clocks()) > 0 || len(set.Problems) != 1 {
			t.Errorf("%s: %v, problems %v", row, lines(set), set.Problems)
		}
	}
}

func TestI5_AFileThatCannotBeReadIsNoEmptySet(t *testing.T) {
	for _, yaml := range []string{"triggers: [", "triggers: {a: b}", "- a\n- b\n", "triggers: 3", "version: 2\ntriggers: []\n", "version: x\n", "trigger: []\n", "\x00", "triggers:\n\t- a"} {
		s := newShelf(t, yaml)
		_, err := trigger.Load(s.Options)
		var broken *trigger.FileError
		if !errors.As(err, &broken) || !errors.Is(err, trigger.ErrInvalid) || !strings.Contains(err.Error(), s.Path) {
			t.Errorf("%q: got %v", yaml, err)
		}
	}
	s := newShelf(t, "")
	if err := os.Mkdir(s.Path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := trigger.Load(s.Options); err == nil {
		t.Error("a folder in the file's place is read as empty")
	}
	for _, yaml := range []string{"", "# nothing\n", "version: 1\n", "triggers:\n", "triggers: []\n", "other: 1\n"} {
		if set := newShelf(t, yaml).load(); len(set.All())+len(set.Problems) > 0 {
			t.Errorf("%q: %v %v", yaml, lines(set), set.Problems)
		}
	}
}

func TestI5_ABrokenBotsSubscriptionsAreUnknownNotGone(t *testing.T) {
	s := newShelf(t, "triggers:\n  - {id: 'manifest:b:board:1', enabled: false}\n", trigger.Bundle{Slug: "b", Path: "bots/b", Err: errors.New("bad YAML")})
	set := s.load()
	if _, err := set.Get("manifest:b:board:1"); !errors.Is(err, trigger.ErrUnknown) {
		t.Errorf("of the broken bot: %v", err)
	}
	if _, err := set.Get("manifest:c:board:1"); !errors.Is(err, trigger.ErrNoSubscription) {
		t.Errorf("of no bot: %v", err)
	}
	if _, err := set.Get("mine"); !errors.Is(err, trigger.ErrNoSubscription) {
		t.Errorf("of the operator's: %v", err)
	}
	if len(set.Problems) != 2 {
		t.Errorf("problems: %v", set.Problems)
	}
}

func TestTheHealthOfABindingIsWrittenOnChangeOnly(t *testing.T) {
	s := newShelf(t, "triggers:\n  - {id: x, bot_id: b, cron: '@daily'}\n")
	set := func(text string, at int64) bool {
		t.Helper()
		return ok(trigger.SetLastError(t.Context(), s.Path, "x", text, time.Unix(at, 0), trigger.WriteOptions{NoFsync: true}))(t)
	}
	is := func(text string, at int64) {
		t.Helper()
		got := ok(s.load().Get("x"))(t)
		if got.LastError != text || text != "" && !got.LastErrorAt.Equal(time.Unix(at, 0)) {
			t.Errorf("last error %q at %s", got.LastError, got.LastErrorAt)
		}
	}
	if set("", 1) {
		t.Error("health without news was written")
	}
	if !set("no such bot", 2) {
		t.Error("news was not written")
	}
	is("no such bot", 2)
	if set("no such bot", 3) {
		t.Error("the same again was written")
	}
	is("no such bot", 2)
	if !set("disk full", 4) {
		t.Error("other news was not written")
	}
	is("disk full", 4)
	if !set("", 5) {
		t.Error("recovery was not written")
	}
	is("", 0)
}

func TestAStateFileThatIsBrokenIsKeptAndNamed(t *testing.T) {
	s := newShelf(t, "triggers:\n  - {id: x, bot_id: b, cron: '@daily'}\n")
	state := strings.TrimSuffix(s.Path, ".yaml") + "-state.json"
	if err := os.WriteFile(state, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	set := s.load()
	if len(set.Clocks()) != 1 || len(set.Problems) != 1 {
		t.Errorf("%v, problems %v", lines(set), set.Problems)
	}
	if _, err := trigger.SetLastError(t.Context(), s.Path, "x", "e", now, trigger.WriteOptions{}); err == nil {
		t.Error("it was written over")
	}
	if data := ok(os.ReadFile(state))(t); string(data) != "{" {
		t.Errorf("it holds %q", data)
	}
}

package trigger

import (
	"fmt"
	"strings"

	"iterion/bots/manifest"
)

// TakenError refuses a second subscription of a kind for a bot. It is an ErrExists.
type TakenError struct {
	Bot      string
	Kind     Invocation
	Existing Subscription
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("bot %s has a %s trigger already: %s", e.Bot, e.Kind, e.Existing.ID)
}

// Unwrap makes every TakenError an ErrExists.
func (e *TakenError) Unwrap() error { return ErrExists }

// EnableFrom returns the settings of the row that puts an invocation of a bot's
// manifest in force, and the id of its subscription. index counts the manifest's
// invocations from 0; -1 stands for the only one. cron goes before what the manifest
// suggests. Errors: ErrInvalid; *TakenError, where an operator's row has done so for
// that kind and bot.
func EnableFrom(set Set, b Bundle, index int, cron, tz string) (id string, settings []Setting, err error) {
	inv, err := pick(b, &index)
	if err != nil {
		return "", nil, err
	}
	what := fmt.Sprintf("invocation %d of bot %s (kind %s)", index, b.Slug, inv.Kind)
	if err := enables(what, inv, cron, tz); err != nil {
		return "", nil, err
	}
	kind := Invocation(inv.Kind)
	for _, s := range set.subs {
		if s.BotID == b.Slug && s.Invocation == kind && (s.Origin == FromOperator || s.Retuned) {
			return "", nil, &TakenError{Bot: b.Slug, Kind: kind, Existing: s}
		}
	}
	if id, err = set.derivedAs(b, index); err != nil {
		return "", nil, err
	}
	settings = []Setting{{"enabled", true}}
	for _, s := range []Setting{{"cron", cron}, {"tz", tz}} {
		if s.Value != "" {
			settings = append(settings, s)
		}
	}
	return id, settings, nil
}

// pick returns the invocation of that index.
func pick(b Bundle, index *int) (manifest.Invocation, error) {
	all := b.Manifest.Invocations
	switch {
	case b.Err != nil:
		return manifest.Invocation{}, b.Err
	case len(all) == 0:
		return manifest.Invocation{}, invalid("the manifest of bot %s has no invocations: make a trigger of your own", b.Slug)
	case *index < 0 && len(all) > 1:
		return manifest.Invocation{}, invalid("the manifest of bot %s has %d invocations, say which: %s", b.Slug, len(all), listed(all))
	case *index < 0:
		*index = 0
	case *index >= len(all):
		return manifest.Invocation{}, invalid("index %d is out of range: the manifest of bot %s has %d, counted from 0: %s", *index, b.Slug, len(all), listed(all))
	}
	return all[*index], nil
}

func listed(all []manifest.Invocation) string {
	names := make([]string, len(all))
	for i, inv := range all {
		names[i] = fmt.Sprintf("%d %s", i, inv.Kind)
	}
	return strings.Join(names, ", ")
}

// enables refuses what could not be fired by a local daemon.
func enables(what string, inv manifest.Invocation, cron, tz string) error {
	kind := Invocation(inv.Kind)
	s := deref(inv.Schedule)
	switch {
	case kind == OnForge || kind == OnCommand:
		return invalid("%s is not fired by a local daemon", what)
	case kind != OnSchedule && (cron != "" || tz != ""):
		return invalid("%s takes no cron: only a schedule does", what)
	case kind == OnBoard && inv.Board == nil:
		return invalid("%s has no board block: the dispatcher starts the bot for cards that bear its name, and no event does", what)
	case kind == OnKeepalive && deref(inv.Keepalive).Interval < minInterval:
		return invalid("%s has no valid interval: want at least %s", what, minInterval)
	case kind == OnSchedule && cron == "" && s.SuggestedCron == "":
		return invalid("%s suggests no cron: say when", what)
	case kind == OnSchedule && cron == "":
		cron = s.SuggestedCron
	}
	if kind == OnSchedule {
		return checkCron(cron, tz)
	}
	return nil
}

// derivedAs returns the id that the set gave to an invocation of a bot.
func (s Set) derivedAs(b Bundle, index int) (string, error) {
	want, ok := FromInvocation(b.Slug, b.Manifest.Invocations[index])
	want.Origin = FromManifest
	print := fingerprint(want)
	for _, sub := range s.subs {
		if ok && s.prints[sub.ID] == print && sub.BotID == b.Slug {
			return sub.ID, nil
		}
	}
	return "", invalid("the manifest of bot %s is not the one in force: another bundle of that name goes before it", b.Slug)
}

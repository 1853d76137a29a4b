package trigger

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"iterion/bots/manifest"
)

// Bundle is a bot as far as subscriptions are derived from it.
type Bundle struct {
	Slug     string // empty: a folder of bots that cannot be read
	Path     string // for messages
	Manifest manifest.Manifest
	// BuiltIn: the bot comes with the program. What it asks for is listed, and only
	// an operator's row puts it in force.
	BuiltIn bool
	// Err: the bundle cannot be read, so that what it asks for is unknown.
	Err error
}

// derivedPrefix begins the id of every derived subscription.
const derivedPrefix = "manifest:"

// derivedID returns the id of the nth subscription of a kind that a bot's manifest
// asks for, from 1.
func derivedID(bot string, kind Invocation, n int) string {
	return fmt.Sprintf("%s%s:%s:%d", derivedPrefix, bot, kind, n)
}

// DerivedFrom returns the bot that the id of a derived subscription names.
func DerivedFrom(id string) (bot string, ok bool) {
	rest, ok := strings.CutPrefix(id, derivedPrefix)
	if !ok {
		return "", false
	}
	bot, _, ok = strings.Cut(rest, ":")
	return bot, ok
}

// derive returns the subscriptions that a bot asks for, with their ids. prints are
// the fingerprints that ids had when they were last given out: an invocation that
// was only moved within its manifest keeps its id, and so does one that was changed
// where it stands, as far as the two can be told apart.
func derive(b Bundle, prints map[string]string) []Subscription {
	if !b.Manifest.Enabled || b.Err != nil {
		return nil
	}
	var out []Subscription
	for _, kind := range Invocations() {
		var same []Subscription
		for _, inv := range b.Manifest.Invocations {
			if Invocation(inv.Kind) != kind {
				continue
			}
			if s, ok := FromInvocation(b.Slug, inv); ok {
				s.Origin = FromManifest
				s.Enabled = s.Enabled && !b.BuiltIn
				same = append(same, s)
			}
		}
		name(same, b.Slug, kind, prints)
		out = append(out, same...)
	}
	return out
}

// name gives ids to the subscriptions of one kind of one bot: first to those whose
// content has one, then in their order.
func name(subs []Subscription, bot string, kind Invocation, prints map[string]string) {
	taken := map[string]bool{}
	for n := range len(subs) + len(prints) {
		id := derivedID(bot, kind, n+1)
		was, known := prints[id]
		if !known {
			continue
		}
		i := slices.IndexFunc(subs, func(s Subscription) bool { return s.ID == "" && fingerprint(s) == was })
		if i >= 0 {
			subs[i].ID, taken[id] = id, true
		}
	}
	n := 1
	for i := range subs {
		if subs[i].ID != "" {
			continue
		}
		for taken[derivedID(bot, kind, n)] {
			n++
		}
		subs[i].ID = derivedID(bot, kind, n)
		taken[subs[i].ID] = true
	}
	slices.SortStableFunc(subs, func(a, b Subscription) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
}

// fingerprint tells the content of derived subscriptions apart.
func fingerprint(s Subscription) string {
	s.ID, s.Enabled = "", false
	data, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

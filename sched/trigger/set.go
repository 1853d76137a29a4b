package trigger

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"iterion/bots/manifest"
)

// Options say where subscriptions come from.
type Options struct {
	Path string // triggers.yaml; the state file lies beside it
	// Bundles returns the bots whose manifests are asked, the first of a slug alone
	// if several bear it. Nil: none.
	Bundles func() []Bundle
}

// Set is all subscriptions of a store at one instant: those that the bots' manifests
// ask for, as the operator's rows retune them, and the operator's own.
//
// A bot in a folder of the operator's has its subscriptions in force as soon as it
// is there: to put it there, in a store that is trusted, is the decision. A built-in
// bot has them listed and off.
type Set struct {
	subs     []Subscription
	byID     map[string]int
	Problems []Problem

	path    string
	prints  map[string]string // of the derived ones by id
	rows    map[string]bool   // ids that have a row
	broken  []Bundle
	partial bool // something could not be read: more subscriptions may exist
}

// Sentinels of a Set.
var (
	ErrNoSubscription = errors.New("no such subscription")
	// ErrUnknown: what the subscription says cannot be read at the moment.
	ErrUnknown = errors.New("the subscription cannot be read")
)

// Load reads the subscriptions. A row that is wrong is among them, with its problem,
// and stops no other one. A triggers.yaml that cannot be read as a whole is a
// *FileError, never an empty set.
func Load(o Options) (Set, error) {
	data, err := os.ReadFile(o.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Set{}, err
	}
	return load(o, data)
}

// load reads a triggers.yaml that holds data.
func load(o Options, data []byte) (Set, error) {
	s := Set{byID: map[string]int{}, path: o.Path, prints: map[string]string{}, rows: map[string]bool{}}
	rows, err := readRows(o.Path, data)
	if err != nil {
		return s, err
	}
	st, err := readState(o.Path)
	if err != nil {
		s.Problems = append(s.Problems, Problem{File: statePath(o.Path), What: err.Error()})
		s.partial = true
	}
	s.derive(o, st)
	for _, r := range rows {
		s.rows[r.id] = true
		s.take(r)
	}
	for i := range s.subs {
		if v, ok := st.Health[s.subs[i].ID]; ok {
			s.subs[i].LastError, s.subs[i].LastErrorAt = v.LastError, v.LastErrorAt
		}
	}
	return s, nil
}

// SetOf returns a set of these subscriptions, as they are.
func SetOf(subs ...Subscription) Set {
	s := Set{byID: map[string]int{}}
	for _, sub := range subs {
		s.add(sub)
	}
	return s
}

func (s *Set) derive(o Options, st state) {
	if o.Bundles == nil {
		return
	}
	var seen []string
	for _, b := range o.Bundles() {
		if slices.ContainsFunc(seen, func(slug string) bool { return manifest.SameSlug(slug, b.Slug) }) {
			continue
		}
		seen = append(seen, b.Slug)
		if b.Err != nil {
			s.broken, s.partial = append(s.broken, b), true
			s.keepPrints(b.Slug, st)
			s.Problems = append(s.Problems, Problem{File: b.Path, What: strings.TrimSpace("bot "+b.Slug) + " cannot be read, so that its subscriptions are not known: " + oneLine(b.Err)})
			continue
		}
		for _, sub := range derive(b, st.Derived) {
			s.prints[sub.ID] = fingerprint(sub)
			if err := sub.Check(); err != nil {
				sub.Problem = err.Error()
				s.Problems = append(s.Problems, Problem{File: b.Path, ID: sub.ID, What: sub.Problem})
			}
			s.add(sub)
		}
	}
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// keepPrints remembers what ids a bot had that cannot be read now; without a slug,
// that is any that is not there.
func (s *Set) keepPrints(slug string, st state) {
	for id, print := range st.Derived {
		if bot, _ := DerivedFrom(id); (bot == slug || slug == "") && s.prints[id] == "" {
			s.prints[id] = print
		}
	}
}

func (s *Set) add(sub Subscription) {
	s.byID[sub.ID] = len(s.subs)
	s.subs = append(s.subs, sub)
}

// take adds a row of triggers.yaml to the set.
func (s *Set) take(r *row) {
	at, known := s.byID[r.id]
	bot, derived := DerivedFrom(r.id)
	switch {
	case r.id == "":
		if len(r.problems) == 0 {
			r.problem(r.node, "id is missing")
		}
	case known && (s.subs[at].Origin == FromOperator || s.subs[at].Retuned):
		r.problem(r.node, "this id is there already: the first row counts")
	case known:
		s.replace(at, r.retuned(s.subs[at]))
	case derived && s.cannotRead(bot):
		r.problem(r.node, "retunes a subscription of bot %s, which cannot be read at the moment", bot)
	case derived:
		r.problem(r.node, "retunes nothing: no bot's manifest asks for it (any more); remove the row, or give it an id of its own")
	default:
		s.add(r.made())
	}
	s.Problems = append(s.Problems, r.problems...)
}

// replace drops what was wrong with a derived subscription that a row has put right.
func (s *Set) replace(at int, sub Subscription) {
	id := s.subs[at].ID
	s.Problems = slices.DeleteFunc(s.Problems, func(p Problem) bool { return p.ID == id })
	s.subs[at] = sub
}

func (s Set) cannotRead(bot string) bool {
	return slices.ContainsFunc(s.broken, func(b Bundle) bool { return b.Slug == "" || manifest.SameSlug(b.Slug, bot) })
}

// All returns every subscription: the derived ones by bot, then the operator's own
// in the order of the file.
func (s Set) All() []Subscription { return slices.Clone(s.subs) }

// Keeping returns the set with the subscriptions that an earlier one knew of bots
// which cannot be read now: what such a bot asks for has hardly changed, and what
// happens meanwhile is owed.
func (s Set) Keeping(earlier Set) Set {
	if len(s.broken) == 0 {
		return s
	}
	s.subs, s.byID = slices.Clone(s.subs), maps.Clone(s.byID)
	for _, sub := range earlier.subs {
		_, known := s.byID[sub.ID]
		if !known && sub.Origin == FromManifest && s.cannotRead(sub.BotID) {
			s.add(sub)
		}
	}
	return s
}

// HasRow reports whether triggers.yaml has a row of that id, whether it means
// something or not.
func (s Set) HasRow(id string) bool { return s.rows[id] }

// Clocks returns the subscriptions in force that a clock fires.
func (s Set) Clocks() []Subscription {
	return s.where(func(sub Subscription) bool { return sub.Active() && sub.Clock() })
}

// Listeners returns the subscriptions in force that events are matched against
// here. Those for a forge are not: its events come in elsewhere.
func (s Set) Listeners() []Subscription {
	return s.where(func(sub Subscription) bool { return sub.Active() && sub.Invocation == OnBoard })
}

func (s Set) where(want func(Subscription) bool) []Subscription {
	var out []Subscription
	for _, sub := range s.subs {
		if want(sub) {
			out = append(out, sub)
		}
	}
	return out
}

// Get returns one subscription. Errors: ErrNoSubscription, ErrUnknown.
func (s Set) Get(id string) (Subscription, error) {
	if at, ok := s.byID[id]; ok {
		return s.subs[at], nil
	}
	if bot, ok := DerivedFrom(id); ok && s.cannotRead(bot) {
		return Subscription{}, fmt.Errorf("subscription %s: %w: bot %s is broken", id, ErrUnknown, bot)
	}
	return Subscription{}, fmt.Errorf("subscription %s: %w", id, ErrNoSubscription)
}

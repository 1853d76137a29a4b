package trigger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

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
	s := Set{byID: map[string]int{}, path: o.Path, prints: map[string]string{}}
	rows, err := readRows(o.Path)
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
			s.Problems = append(s.Problems, Problem{File: b.Path, What: fmt.Sprintf("bot %s cannot be read, so that its subscriptions are not known: %v", b.Slug, b.Err)})
			continue
		}
		for _, sub := range derive(b, st.Derived) {
			s.prints[sub.ID] = fingerprint(sub)
			if err := sub.Check(); err != nil {
				sub.Problem = strings.TrimPrefix(err.Error(), ErrInvalid.Error()+": ")
				s.Problems = append(s.Problems, Problem{File: b.Path, ID: sub.ID, What: sub.Problem})
			}
			s.add(sub)
		}
	}
}

// keepPrints remembers what ids a bot had that cannot be read now.
func (s *Set) keepPrints(slug string, st state) {
	for id, print := range st.Derived {
		if bot, _ := DerivedFrom(id); bot == slug {
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
	case r.id == "" && r.given != nil:
		r.problem(r.node, "id is missing")
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
	return slices.ContainsFunc(s.broken, func(b Bundle) bool { return manifest.SameSlug(b.Slug, bot) })
}

// All returns every subscription: the derived ones by bot, then the operator's own
// in the order of the file.
func (s Set) All() []Subscription { return slices.Clone(s.subs) }

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

// readRows returns the rows of a triggers.yaml; a file that is not there has none.
func readRows(path string) ([]*row, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_, list, err := parseFile(path, data)
	if err != nil || list == nil {
		return nil, err
	}
	var rows []*row
	for _, n := range list.Content {
		rows = append(rows, newRow(path, follow(n)))
	}
	return rows, nil
}

// fileVersion is the version of triggers.yaml that this package writes.
const fileVersion = 1

// listKey is the key of the rows in triggers.yaml.
const listKey = "triggers"

// parseFile returns the document and the list of rows in it; both may be nil.
func parseFile(path string, data []byte) (doc, list *yaml.Node, err error) {
	doc = &yaml.Node{}
	if err := yaml.Unmarshal(data, doc); err != nil {
		return nil, nil, &FileError{Problem{File: path, Line: yamlLine(err), What: yamlWords(err)}}
	}
	if len(doc.Content) == 0 {
		return nil, nil, nil
	}
	refuse := func(n *yaml.Node, format string, args ...any) (*yaml.Node, *yaml.Node, error) {
		return nil, nil, &FileError{Problem{File: path, Line: n.Line, What: fmt.Sprintf(format, args...)}}
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		if top.Tag == "!!null" {
			return nil, nil, nil
		}
		return refuse(top, "want a mapping with the keys version and %s", listKey)
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], follow(top.Content[i+1])
		switch {
		case key.Value == "version" && newer(value):
			return refuse(value, "version %s is newer than this program's %d", value.Value, fileVersion)
		case key.Value == listKey && value.Kind == yaml.SequenceNode:
			list = value
		case key.Value == listKey && value.Tag != "!!null":
			return refuse(value, "%s is not a list", listKey)
		case key.Value != "version" && key.Value != listKey && manifest.Nearest(key.Value, []string{"version", listKey}) != "":
			return refuse(key, "unknown key %s, did you mean %s?", key.Value, manifest.Nearest(key.Value, []string{"version", listKey}))
		}
	}
	return doc, list, nil
}

func newer(n *yaml.Node) bool {
	var v int
	return n.Decode(&v) != nil || v > fileVersion
}

// yamlLine finds the line in a message of the YAML reader.
func yamlLine(err error) int {
	var line int
	_, at, ok := strings.Cut(err.Error(), "line ")
	if ok {
		fmt.Sscanf(at, "%d", &line)
	}
	return line
}

func yamlWords(err error) string {
	words := strings.TrimPrefix(err.Error(), "yaml: ")
	if line := yamlLine(err); line > 0 {
		words = strings.TrimPrefix(words, fmt.Sprintf("line %d: ", line))
	}
	return strings.Join(strings.Fields(words), " ")
}

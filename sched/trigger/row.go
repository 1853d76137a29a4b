package trigger

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"iterion/bots/manifest"
)

// Problem is one thing that is wrong with the subscriptions.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // from 1
	ID   string `json:"id,omitempty"`   // of the subscription, where it is known
	What string `json:"what"`
}

func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, p.Line)
	}
	if p.ID != "" {
		return fmt.Sprintf("%s: %s: %s", at, p.ID, p.What)
	}
	return at + ": " + p.What
}

// FileError is a triggers.yaml that cannot be read as a whole. What it holds is
// unknown, which is not the same as nothing.
type FileError struct{ Problem Problem }

func (e *FileError) Error() string {
	return e.Problem.String() + "; no subscription is known while the file is like this: repair it"
}

// Unwrap makes every FileError an ErrInvalid.
func (e *FileError) Unwrap() error { return ErrInvalid }

// row is one entry of triggers.yaml.
type row struct {
	file     string
	node     *yaml.Node
	id       string
	key      string // that is being read
	given    map[string]*yaml.Node
	problems []Problem
}

func (r *row) problem(n *yaml.Node, format string, args ...any) {
	what := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	r.problems = append(r.problems, Problem{File: r.file, Line: max(n.Line, 1), ID: r.id, What: what})
}

// newRow looks at the keys of an entry without reading their values.
func newRow(file string, n *yaml.Node) *row {
	r := &row{file: file, node: n, given: map[string]*yaml.Node{}}
	if n.Kind != yaml.MappingNode {
		r.problem(n, "is not a mapping of keys to values")
		return r
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, follow(n.Content[i+1])
		if key == "id" && value.Kind == yaml.ScalarNode {
			r.id = value.Value
		}
		if r.given[key] != nil {
			r.problem(n.Content[i], "%s is given twice, keep one", key)
		}
		r.given[key] = value
	}
	r.slips()
	return r
}

// slips refuses unknown keys that look like a known one misspelt. Others stay, for
// they may mean something to another version.
func (r *row) slips() {
	known := Keys()
	for i := 0; i+1 < len(r.node.Content); i += 2 {
		key := r.node.Content[i]
		near := manifest.Nearest(key.Value, known)
		if !isKey(key.Value) && near != "" {
			r.problem(key, "unknown key %s, did you mean %s?", key.Value, near)
		}
	}
}

func isKey(name string) bool {
	for _, f := range fields() {
		if f.name == name {
			return true
		}
	}
	return false
}

// text returns the value of a key that decides what the row is.
func (r *row) text(key string) string {
	if n := r.given[key]; n != nil && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return n.Value
	}
	return ""
}

// onto reads the row over a subscription: what the row does not say stays. Null
// says nothing.
func (r *row) onto(s Subscription) Subscription {
	for _, f := range fields() {
		n := r.given[f.name]
		if n == nil || n.Tag == "!!null" || f.set == nil {
			continue
		}
		r.key = f.name
		f.set(r, n, &s)
	}
	return s
}

// made returns the operator's own subscription that the row describes.
func (r *row) made() Subscription {
	kind := Invocation(r.text("invocation"))
	if kind == "" {
		kind = r.guess()
	}
	s, ok := New(r.text("bot_id"), kind)
	if !ok {
		s = Subscription{Invocation: kind}
	}
	s.ID, s.Origin = r.id, FromOperator
	s = r.onto(s).completed()
	return r.judged(s)
}

// guess: a row that does not say its kind says it by what it has.
func (r *row) guess() Invocation {
	switch {
	case r.text("cron") != "":
		return OnSchedule
	case r.text("interval") != "":
		return OnKeepalive
	}
	return OnBoard
}

// retuned returns a derived subscription as the row wants it. A row that cannot be
// understood keeps it out of force: what the operator wanted is not known.
func (r *row) retuned(s Subscription) Subscription {
	derived := s
	s = r.onto(s)
	if kind := r.text("invocation"); kind != "" && Invocation(kind) != derived.Invocation {
		r.problem(r.given["invocation"], "invocation %s: the bot's manifest says %s, and a row can only retune it", kind, derived.Invocation)
	}
	if s.BotID != derived.BotID {
		r.problem(r.given["bot_id"], "bot_id %s: the subscription is %s's, and a row can only retune it", s.BotID, derived.BotID)
		s.BotID = derived.BotID
	}
	if s.Cron != "" && derived.Cron == "" && r.given["enabled"] == nil {
		s.Enabled = true
	}
	s.Retuned = true
	return r.judged(s.completed())
}

// judged notes on the subscription what is wrong with it.
func (r *row) judged(s Subscription) Subscription {
	if len(r.problems) == 0 {
		if err := s.Check(); err != nil {
			r.problem(r.node, "%s", err)
		}
	}
	if len(r.problems) > 0 {
		s.Problem = r.problems[0].What
	}
	return s
}

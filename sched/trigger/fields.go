package trigger

import (
	"slices"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"iterion/bots/manifest"
	"iterion/sched/gate"
)

// setter puts the value of one key of a row into a subscription.
type setter func(r *row, n *yaml.Node, s *Subscription)

// field is one key of a row.
type field struct {
	name string
	set  setter
}

// fields are the keys of a row in the order in which a new row is written. The keys
// that tell of times and errors are the program's own and mean nothing when read.
func fields() []field {
	return []field{
		{"id", func(*row, *yaml.Node, *Subscription) {}},
		{"bot_id", text(func(s *Subscription) *string { return &s.BotID })},
		{"invocation", func(*row, *yaml.Node, *Subscription) {}},
		{"tenant_id", text(func(s *Subscription) *string { return &s.TenantID })},
		{"repo", text(func(s *Subscription) *string { return &s.Repo })},
		{"mode", text(func(s *Subscription) *Mode { return &s.Mode })},
		{"match", (*row).match},
		{"cron", text(func(s *Subscription) *string { return &s.Cron })},
		{"tz", text(func(s *Subscription) *string { return &s.TZ })},
		{"interval", span(func(s *Subscription) *Duration { return &s.Interval })},
		{"catch_up", (*row).catchUp},
		{"vars", (*row).vars},
		{"args_var", text(func(s *Subscription) *string { return &s.ArgsVar })},
		{"workdir", text(func(s *Subscription) *string { return &s.Workdir })},
		{"overlap", text(func(s *Subscription) *gate.Overlap { return &s.Overlap })},
		{"max_concurrent", number(func(s *Subscription) *int { return &s.MaxConcurrent })},
		{"stale_after", span(func(s *Subscription) *Duration { return &s.StaleAfter })},
		{"guard", text(func(s *Subscription) *string { return &s.Guard })},
		{"guard_timeout", span(func(s *Subscription) *Duration { return &s.GuardTimeout })},
		{"guard_var", text(func(s *Subscription) *string { return &s.GuardVar })},
		{"consume_labels", flag(func(s *Subscription) *bool { return &s.ConsumeLabels })},
		{"retry_usage_window", text(func(s *Subscription) *string { return &s.RetryUsageWindow })},
		{"retry_max_attempts", number(func(s *Subscription) *int { return &s.RetryMaxAttempts })},
		{"retry_max_wait", span(func(s *Subscription) *Duration { return &s.RetryMaxWait })},
		{"retry_jitter", span(func(s *Subscription) *Duration { return &s.RetryJitter })},
		{"enabled", flag(func(s *Subscription) *bool { return &s.Enabled })},
		{"created_by", text(func(s *Subscription) *string { return &s.CreatedBy })},
		{"created_at", instant(func(s *Subscription) *time.Time { return &s.CreatedAt })},
		{"updated_at", instant(func(s *Subscription) *time.Time { return &s.UpdatedAt })},
		{"enabled_at", instant(func(s *Subscription) *time.Time { return &s.EnabledAt })},
		{"origin", nil}, {"last_error", nil}, {"last_error_at", nil},
	}
}

// Keys returns the keys that a row of triggers.yaml may have.
func Keys() []string {
	var names []string
	for _, f := range fields() {
		names = append(names, f.name)
	}
	return names
}

func matchFields(m *Match) map[string]*[]string {
	return map[string]*[]string{
		"sources": &m.Sources, "kinds": &m.Kinds, "actions": &m.Actions, "repos": &m.Repos,
		"authors": &m.Authors, "states": &m.States, "all_labels": &m.AllLabels,
	}
}

// MatchKeys returns the dimensions of a match.
func MatchKeys() []string {
	return []string{"sources", "kinds", "actions", "repos", "authors", "states", "all_labels"}
}

func text[T ~string](at func(*Subscription) *T) setter {
	return func(r *row, n *yaml.Node, s *Subscription) {
		if r.scalar(n) {
			*at(s) = T(n.Value)
		}
	}
}

func flag(at func(*Subscription) *bool) setter {
	return func(r *row, n *yaml.Node, s *Subscription) {
		if n.Decode(at(s)) != nil || n.Kind != yaml.ScalarNode {
			r.problem(n, "%s is %q, want true or false", r.key, n.Value)
		}
	}
}

func number(at func(*Subscription) *int) setter {
	return func(r *row, n *yaml.Node, s *Subscription) {
		v, err := strconv.Atoi(n.Value)
		if err != nil {
			r.problem(n, "%s is %q, want a whole number", r.key, n.Value)
			return
		}
		*at(s) = v
	}
}

func span(at func(*Subscription) *Duration) setter {
	return func(r *row, n *yaml.Node, s *Subscription) {
		v, err := time.ParseDuration(n.Value)
		if err != nil {
			r.problem(n, "%s is %q, want a duration like 30s, 5m or 1h30m", r.key, n.Value)
			return
		}
		*at(s) = Duration(v)
	}
}

func instant(at func(*Subscription) *time.Time) setter {
	return func(r *row, n *yaml.Node, s *Subscription) {
		v, err := time.Parse(time.RFC3339, n.Value)
		if err != nil {
			r.problem(n, "%s is %q, want an instant like 2026-01-02T15:04:05Z", r.key, n.Value)
			return
		}
		*at(s) = v.UTC()
	}
}

func (r *row) catchUp(n *yaml.Node, s *Subscription) {
	var d Duration
	span(func(*Subscription) *Duration { return &d })(r, n, s)
	s.CatchUp = &d
}

func (r *row) vars(n *yaml.Node, s *Subscription) {
	if n.Kind != yaml.MappingNode {
		r.problem(n, "vars is not a mapping of names to texts")
		return
	}
	s.Vars = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		v := follow(n.Content[i+1])
		if v.Kind != yaml.ScalarNode {
			r.problem(v, "vars.%s is not a text", n.Content[i].Value)
			continue
		}
		if s.Vars == nil {
			s.Vars = map[string]string{}
		}
		s.Vars[n.Content[i].Value] = v.Value
	}
}

// match reads the dimensions that the row gives; the others stay.
func (r *row) match(n *yaml.Node, s *Subscription) {
	if n.Kind != yaml.MappingNode {
		r.problem(n, "match is not a mapping of dimensions to lists")
		return
	}
	into := matchFields(&s.Match)
	if has(n, "kinds") && !has(n, "sources") {
		s.Match.Sources = nil // they followed from the kinds
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		if list := into[key]; list != nil {
			*list = r.list("match."+key, follow(n.Content[i+1]))
			continue
		}
		if near := manifest.Nearest(key, MatchKeys()); near != "" {
			r.problem(n.Content[i], "unknown key match.%s, did you mean %s?", key, near)
		}
	}
}

func has(n *yaml.Node, key string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// list reads several texts, or one.
func (r *row) list(key string, n *yaml.Node) []string {
	items := n.Content
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag != "!!null":
		items = []*yaml.Node{n}
	case n.Kind != yaml.SequenceNode:
		r.problem(n, "%s is not a list of texts", key)
		return nil
	}
	var out []string
	for _, item := range items {
		item = follow(item)
		if item.Kind != yaml.ScalarNode || item.Value == "" {
			r.problem(item, "%s has an entry that is not a text", key)
			continue
		}
		if !slices.Contains(out, item.Value) {
			out = append(out, item.Value)
		}
	}
	return out
}

func (r *row) scalar(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode {
		r.problem(n, "%s is not a text", r.key)
		return false
	}
	return true
}

// follow resolves an alias.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

package hostcron

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// key joins one key of a row to its field.
type key struct {
	name string
	set  func(s *Schedule, n *yaml.Node) error // from a value that is not null
	get  func(s Schedule) *yaml.Node           // nil: the field says nothing
}

// keys returns the keys of a row, in the order in which a new row is written.
func keys() []key {
	return []key{
		text("name", func(s *Schedule) *string { return &s.Name }),
		{"cron", setText(func(s *Schedule) *string { return &s.Cron }), func(s Schedule) *yaml.Node { return quoted(s.Cron) }},
		text("tz", func(s *Schedule) *string { return &s.TZ }),
		text("bot", func(s *Schedule) *string { return &s.Bot }),
		text("workdir", func(s *Schedule) *string { return &s.Workdir }),
		text("store_dir", func(s *Schedule) *string { return &s.StoreDir }),
		span("timeout", func(s *Schedule) *time.Duration { return &s.Timeout }),
		{"vars", setVars, func(s Schedule) *yaml.Node { return varsNode(s.Vars) }},
		text("description", func(s *Schedule) *string { return &s.Description }),
		{"disabled", setDisabled, func(s Schedule) *yaml.Node { return flagNode(s.Disabled) }},
		text("overlap", func(s *Schedule) *string { return (*string)(&s.Policy.Overlap) }),
		number("max_concurrent", func(s *Schedule) *int { return &s.Policy.MaxConcurrent }),
		span("stale_after", func(s *Schedule) *time.Duration { return &s.Policy.StaleAfter }),
		text("guard", func(s *Schedule) *string { return &s.Policy.Guard }),
		span("guard_timeout", func(s *Schedule) *time.Duration { return &s.Policy.GuardTimeout }),
		text("guard_var", func(s *Schedule) *string { return &s.Policy.GuardVar }),
		text("retry_usage_window", func(s *Schedule) *string { return &s.Retry.UsageWindow }),
		said("retry_max_attempts", func(s *Schedule) **int { return &s.Retry.MaxAttempts }, readNumber, strconv.Itoa),
		said("retry_max_wait", func(s *Schedule) **time.Duration { return &s.Retry.MaxWait }, readSpan, spanText),
		said("retry_jitter", func(s *Schedule) **time.Duration { return &s.Retry.Jitter }, readSpan, spanText),
	}
}

func keyNames() []string {
	var names []string
	for _, k := range keys() {
		names = append(names, k.name)
	}
	return names
}

func text(name string, at func(*Schedule) *string) key {
	return key{name, setText(at), func(s Schedule) *yaml.Node { return textNode(*at(&s)) }}
}

func span(name string, at func(*Schedule) *time.Duration) key {
	return plain(name, at, readSpan, spanText)
}

func number(name string, at func(*Schedule) *int) key {
	return plain(name, at, readNumber, strconv.Itoa)
}

// plain is a field whose zero value says nothing.
func plain[T comparable](name string, at func(*Schedule) *T, read func(*yaml.Node) (T, error), write func(T) string) key {
	return key{name, func(s *Schedule, n *yaml.Node) error {
		v, err := read(n)
		*at(s) = v
		return err
	}, func(s Schedule) *yaml.Node {
		var zero T
		if v := *at(&s); v != zero {
			return scalar(write(v))
		}
		return nil
	}}
}

// said is a field that says something also when it is zero.
func said[T any](name string, at func(*Schedule) **T, read func(*yaml.Node) (T, error), write func(T) string) key {
	return key{name, func(s *Schedule, n *yaml.Node) error {
		v, err := read(n)
		if err == nil {
			*at(s) = &v
		}
		return err
	}, func(s Schedule) *yaml.Node {
		if v := *at(&s); v != nil {
			return scalar(write(*v))
		}
		return nil
	}}
}

func setText(at func(*Schedule) *string) func(*Schedule, *yaml.Node) error {
	return func(s *Schedule, n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode {
			return fmt.Errorf("is %s, want text", kindOf(n))
		}
		*at(s) = n.Value
		return nil
	}
}

func setDisabled(s *Schedule, n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || n.Decode(&s.Disabled) != nil {
		return fmt.Errorf("is %s, want true or false", show(n))
	}
	return nil
}

func setVars(s *Schedule, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("is %s, want names and values", kindOf(n))
	}
	s.Vars = map[string]string{}
	for _, f := range fieldsOf(n, 0) {
		if f.value.Kind != yaml.ScalarNode || f.value.Tag == "!!null" {
			return fmt.Errorf("%s is %s, want text", clip(f.key.Value), kindOf(f.value))
		}
		s.Vars[f.key.Value] = f.value.Value
	}
	return nil
}

func readNumber(n *yaml.Node) (int, error) {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		return 0, fmt.Errorf("is %s, want a number", show(n))
	}
	return v, nil
}

func readSpan(n *yaml.Node) (time.Duration, error) {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		return 0, fmt.Errorf("is %s, want a duration like 90s, 30m or 1h30m", show(n))
	}
	return d, nil
}

func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "empty"
	}
	return "a single value"
}

// show quotes a scalar and says what anything else is.
func show(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		return strconv.Quote(clip(n.Value))
	}
	return kindOf(n)
}

func scalar(v string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: v} }

func flagNode(v bool) *yaml.Node {
	if v {
		return scalar("true")
	}
	return nil
}

// textNode writes a text so that it is read back as text.
func textNode(v string) *yaml.Node {
	if v == "" {
		return nil
	}
	n := &yaml.Node{}
	n.SetString(v)
	if strings.TrimSpace(v) == "" || strings.ContainsAny(v, "\r\u0085\u2028\u2029\ufeff") {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// quoted is for expressions, which often begin with a star.
func quoted(v string) *yaml.Node {
	if v == "" {
		return nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v, Style: yaml.DoubleQuotedStyle}
}

func varsNode(vars map[string]string) *yaml.Node {
	if len(vars) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		n.Content = append(n.Content, varNode(name), varNode(vars[name]))
	}
	return n
}

func varNode(v string) *yaml.Node {
	if v == "" {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle}
	}
	return textNode(v)
}

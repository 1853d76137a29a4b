package trigger

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// rowNode returns the row that says what a subscription of the operator's is. What
// is the default is left out.
func rowNode(s Subscription) (*yaml.Node, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var said map[string]any
	if err := json.Unmarshal(data, &said); err != nil {
		return nil, err
	}
	if s.Invocation != OnBoard && s.Mode == Direct {
		delete(said, "mode")
	}
	if s.Invocation == OnKeepalive {
		delete(said, "overlap")
	}
	var settings []Setting
	for _, f := range fields() {
		if v, ok := said[f.name]; ok && f.set != nil {
			settings = append(settings, Setting{f.name, v})
		}
	}
	return mapping(settings...)
}

func mapping(settings ...Setting) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, s := range settings {
		if err := put(n, strings.Split(s.Key, "."), s.Value); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// valueNode returns a value as it is written in a row: lists in one line, the keys
// of mappings in a steady order.
func valueNode(value any) (*yaml.Node, error) {
	switch v := value.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, k := range sortedKeys(v) {
			if err := put(n, []string{k}, v[k]); err != nil {
				return nil, err
			}
		}
		return n, nil
	case map[string]string:
		wide := map[string]any{}
		for k, s := range v {
			wide[k] = s
		}
		return valueNode(wide)
	case float64:
		if v == float64(int64(v)) {
			value = int64(v)
		}
	case string:
		return textNode(v), nil
	case fmt.Stringer:
		return textNode(v.String()), nil
	}
	n := &yaml.Node{}
	if err := n.Encode(value); err != nil {
		return nil, err
	}
	if n.Kind == yaml.SequenceNode {
		n.Style = yaml.FlowStyle
	}
	return n, nil
}

func textNode(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	if !strings.Contains(s, "\n") && strings.ContainsAny(s, "*#") {
		n.Style = yaml.DoubleQuotedStyle // as people write cron expressions
	}
	return n
}

// sortedKeys returns the keys of a match in their order, others by name.
func sortedKeys(m map[string]any) []string {
	keys := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(keys, func(a, b string) int {
		return slices.Index(MatchKeys(), a) - slices.Index(MatchKeys(), b)
	})
	return keys
}

// put sets a key of a mapping, or of one inside it; nil takes it out.
func put(m *yaml.Node, path []string, value any) error {
	at := -1
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == path[0] {
			at = i
		}
	}
	if len(path) > 1 {
		return putInside(m, at, path, value)
	}
	switch {
	case value == nil && at < 0:
		return nil
	case value == nil:
		m.Content = slices.Delete(m.Content, at, at+2)
		return nil
	}
	n, err := valueNode(value)
	if err != nil {
		return err
	}
	if at < 0 {
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: path[0]}, n)
		return nil
	}
	n.LineComment = m.Content[at+1].LineComment
	m.Content[at+1] = n
	return nil
}

func putInside(m *yaml.Node, at int, path []string, value any) error {
	if at < 0 {
		if value == nil {
			return nil
		}
		inner := &yaml.Node{Kind: yaml.MappingNode}
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: path[0]}, inner)
		return put(inner, path[1:], value)
	}
	inner := follow(m.Content[at+1])
	if inner.Kind != yaml.MappingNode {
		return invalid("%s is not a mapping", path[0])
	}
	if err := put(inner, path[1:], value); err != nil || len(inner.Content) > 0 {
		return err
	}
	m.Content = slices.Delete(m.Content, at, at+2)
	return nil
}

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

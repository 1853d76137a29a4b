package manifest

import (
	"fmt"
	"math"

	"gopkg.in/yaml.v3"
)

// A block that is kept may stand for so many values, so deep: aliases of aliases
// make a short file mean billions, or go round in a circle.
const (
	maxKept  = 10_000
	maxDepth = 50
)

// forge keeps the forge block as it is: texts, numbers, flags, lists and mappings,
// all of which JSON can say.
func (b *block) forge() map[string]any {
	n := b.take("forge")
	if n == nil {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		b.problem(n, "forge", "is %s, want a mapping of keys to values", kind(n))
		return nil
	}
	k := keeper{reader: b.reader, left: maxKept}
	out, _ := k.keep(n, "forge", 0).(map[string]any)
	if k.left < 0 {
		b.problem(n, "forge", "stands for more than %d values, or nests deeper than %d: write less", maxKept, maxDepth)
	}
	return out
}

// keeper turns nodes into plain values.
type keeper struct {
	*reader
	left int // how many values more; nothing is looked at below 0
}

func (k *keeper) keep(n *yaml.Node, path string, depth int) any {
	n = follow(n)
	if k.left--; k.left < 0 || depth > maxDepth {
		k.left = -1
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		in := k.block(n, path)
		out := make(map[string]any, len(in.order))
		for _, key := range in.order {
			out[key.Value] = k.keep(in.values[key.Value], in.at(key.Value), depth+1)
		}
		return out
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, item := range n.Content {
			out[i] = k.keep(item, fmt.Sprintf("%s[%d]", path, i), depth+1)
		}
		return out
	}
	return plain(n)
}

// plain returns what a single value is: nothing, a flag, a number or text.
func plain(n *yaml.Node) any {
	var v any
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		if err := n.Decode(&v); err != nil {
			return n.Value
		}
	default:
		return n.Value
	}
	if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return n.Value
	}
	return v
}

package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"
)

// reader walks the nodes of one document and collects what is wrong with it.
type reader struct {
	file     string
	problems []Problem
	ignored  []string // keys below the top that are not known, dotted
}

func (r *reader) problem(n *yaml.Node, key, format string, args ...any) {
	r.problems = append(r.problems, Problem{
		File: r.file, Line: max(n.Line, 1), Key: oneLine(key), What: oneLine(fmt.Sprintf(format, args...)),
	})
}

// oneLine keeps whatever a file holds from breaking the list of its problems.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// err returns the collected problems in line order, or nil.
func (r *reader) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
	return &Error{Problems: r.problems}
}

// block is a mapping whose keys are taken one at a time; what nobody took is
// unknown.
type block struct {
	*reader
	path   string       // dotted, empty for the top
	node   *yaml.Node   // where to point at for the block as a whole
	order  []*yaml.Node // the keys, in file order
	values map[string]*yaml.Node
	asked  []string
}

// block opens a mapping. Anything else is a problem and reads as empty.
func (r *reader) block(n *yaml.Node, path string) *block {
	b := &block{reader: r, path: path, node: n, values: map[string]*yaml.Node{}}
	n = follow(n)
	if n.Kind != yaml.MappingNode {
		r.problem(n, path, "is %s, want a mapping of keys to values", kind(n))
		return b
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		b.add(n.Content[i], n.Content[i+1])
	}
	return b
}

func (b *block) add(key, value *yaml.Node) {
	key = follow(key)
	switch _, twice := b.values[key.Value]; {
	case key.Kind != yaml.ScalarNode:
		b.problem(key, b.path, "has %s for a key, want text", kind(key))
	case key.Tag == "!!merge":
		b.problem(key, b.path, "has a merge key <<, write the keys out")
	case twice:
		b.problem(key, b.at(key.Value), "is given twice, keep one")
	default:
		b.order = append(b.order, key)
		b.values[key.Value] = follow(value)
	}
}

// at returns the dotted name of a key of the block.
func (b *block) at(key string) string {
	if b.path == "" {
		return key
	}
	return b.path + "." + key
}

// take returns the value of a key, or nil when it is absent or null.
func (b *block) take(key string) *yaml.Node {
	b.asked = append(b.asked, key)
	n := b.values[key]
	if n == nil || n.Tag == "!!null" {
		return nil
	}
	return n
}

// strangers returns the keys that were never asked for.
func (b *block) strangers() []*yaml.Node {
	var left []*yaml.Node
	for _, key := range b.order {
		if !slices.Contains(b.asked, key.Value) {
			left = append(left, key)
		}
	}
	return left
}

// spare keeps the keys that were never asked for aside, as those of another
// implementation, but refuses the ones that look like a slip.
func (b *block) spare() {
	for _, key := range b.strangers() {
		if near := Nearest(key.Value, b.asked); near != "" {
			b.problem(key, b.at(key.Value), "unknown key, did you mean %s?", near)
			continue
		}
		b.ignored = append(b.ignored, oneLine(b.at(key.Value)))
	}
}

// done refuses the keys that were never asked for.
func (b *block) done() {
	for _, key := range b.strangers() {
		if near := Nearest(key.Value, b.asked); near != "" {
			b.problem(key, b.at(key.Value), "unknown key, did you mean %s?", near)
			continue
		}
		b.problem(key, b.at(key.Value), "unknown key, want one of %s", strings.Join(b.asked, ", "))
	}
}

func (b *block) text(key string) string {
	if n := b.take(key); n != nil {
		return b.scalar(n, b.at(key))
	}
	return ""
}

// line is text without line breaks.
func (b *block) line(key string) string {
	text := strings.TrimSpace(b.text(key))
	if strings.ContainsAny(text, "\r\n") {
		b.problem(b.take(key), b.at(key), "has several lines, want one")
	}
	return text
}

// scalar returns a plain value as it was written: version: 0.2 is the text 0.2.
func (r *reader) scalar(n *yaml.Node, key string) string {
	n = follow(n)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.problem(n, key, "is %s, want text", kind(n))
		return ""
	}
	if strings.ContainsRune(n.Value, 0) {
		r.problem(n, key, "holds a zero byte, which no environment can carry")
		return ""
	}
	return n.Value
}

// choice reads one of a closed set of words; absent is the first.
func (b *block) choice(key string, words ...string) string {
	n := b.take(key)
	if n == nil {
		return words[0]
	}
	b.oneOf(n, b.at(key), words)
	return n.Value
}

func (r *reader) oneOf(n *yaml.Node, key string, words []string) {
	value := r.scalar(n, key)
	if n.Kind != yaml.ScalarNode || slices.Contains(words, value) {
		return
	}
	if near := Nearest(value, words); near != "" {
		r.problem(n, key, "unknown value %q, did you mean %s?", clip(value), near)
		return
	}
	r.problem(n, key, "unknown value %q, want one of %s", clip(value), strings.Join(words, ", "))
}

func (b *block) flag(key string, absent bool) bool {
	n := b.take(key)
	if n == nil {
		return absent
	}
	var v bool
	if n.Kind != yaml.ScalarNode || n.Decode(&v) != nil {
		b.problem(n, b.at(key), "is %s, want true or false", quote(n))
	}
	return v
}

func (b *block) count(key string) int {
	n := b.take(key)
	if n == nil {
		return 0
	}
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < 0 {
		b.problem(n, b.at(key), "is %s, want a number of at least 0", quote(n))
		return 0
	}
	return v
}

// span reads a duration; nil when absent.
func (b *block) span(key string) *time.Duration {
	n := b.take(key)
	if n == nil {
		return nil
	}
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d < 0 {
		b.problem(n, b.at(key), "is %s, want a duration like 90s, 30m or 1h30m", quote(n))
		return nil
	}
	return &d
}

// words reads a sequence of texts, none of them empty.
func (b *block) words(key string) []string {
	list := b.list(key)
	for i, s := range list {
		item := follow(b.values[key].Content[i])
		if s == "" && item.Kind == yaml.ScalarNode && item.Tag != "!!null" {
			b.problem(item, fmt.Sprintf("%s[%d]", b.at(key), i), "is empty, want text")
		}
	}
	return list
}

// list reads a sequence of texts.
func (b *block) list(key string) []string {
	n := b.take(key)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		b.problem(n, b.at(key), "is %s, want a list like [a, b]", kind(n))
		return nil
	}
	out := make([]string, len(n.Content))
	for i, item := range n.Content {
		out[i] = b.scalar(item, fmt.Sprintf("%s[%d]", b.at(key), i))
	}
	return out
}

// sub opens the mapping under a key; nil when the key is absent.
func (b *block) sub(key string) *block {
	n := b.take(key)
	if n == nil {
		return nil
	}
	in := b.block(n, b.at(key))
	for _, k := range b.order {
		if k.Value == key {
			in.node = k
		}
	}
	return in
}

// texts reads the whole block as names and texts; nil for a nil block.
func (b *block) texts() map[string]string {
	if b == nil {
		return nil
	}
	out := make(map[string]string, len(b.order))
	for _, key := range b.order {
		out[key.Value] = b.scalar(b.values[key.Value], b.at(key.Value))
	}
	return out
}

// keys returns the key nodes in file order; none for a nil block.
func (b *block) keys() []*yaml.Node {
	if b == nil {
		return nil
	}
	return b.order
}

// follow returns what an alias stands for. The parser gives each alias one
// target, which is no alias itself.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// kind says in words what a node is.
func kind(n *yaml.Node) string {
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

// quote shows a scalar as written and says what anything else is.
func quote(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		return strconv.Quote(clip(n.Value))
	}
	return kind(n)
}

package hostcron

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// rewrite brings row i from one schedule to another, key by key.
func (d *draft) rewrite(i int, before, after Schedule) error {
	for _, k := range keys() {
		was, is := k.get(before), k.get(after)
		var err error
		switch {
		case sameNode(was, is):
		case k.name == "vars" && was != nil && is != nil && d.varsAreBlock(i):
			err = d.rewriteVars(i, before.Vars, after.Vars)
		case is == nil:
			err = d.unset(i, k.name)
		default:
			err = d.set(i, k.name, is)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *draft) varsAreBlock(i int) bool {
	_, v := child(d.tree.rows()[i], "vars")
	return v != nil && v.Kind == yaml.MappingNode && v.Style&yaml.FlowStyle == 0
}

// rewriteVars touches only the variables that differ, so that comments among them
// stay.
func (d *draft) rewriteVars(i int, before, after map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if v, ok := before[name]; !ok || v != after[name] {
			if err := d.set(i, "vars/"+name, varNode(after[name])); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[name]; !ok {
			if err := d.unset(i, "vars/"+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// child returns a key of a mapping and its value, as they are written there.
func child(n *yaml.Node, name string) (k, v *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// mapping returns the mapping that holds a key of row i. vars/x is the key x of the
// mapping vars.
func (d *draft) mapping(i int, path string) (in *yaml.Node, name string) {
	in = d.tree.rows()[i]
	if name, ok := strings.CutPrefix(path, "vars/"); ok {
		_, in = child(in, "vars")
		return in, name
	}
	return in, path
}

// set writes one key of row i.
func (d *draft) set(i int, path string, value *yaml.Node) error {
	in, name := d.mapping(i, path)
	if in.Style&yaml.FlowStyle != 0 {
		return d.inFlow(i, func() { put(in, name, value) })
	}
	if in.Kind != yaml.MappingNode || len(in.Content) == 0 {
		return d.byHand(i, nil)
	}
	k, v := child(in, name)
	if k != nil && value.Kind == yaml.MappingNode {
		value.Style = v.Style & yaml.FlowStyle
	}
	text, err := render(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{varNode(name), value}})
	if err != nil {
		return err
	}
	l := split(d.data)
	at := in.Content[0].Column - 1
	for j := 1; j < len(text); j++ {
		text[j] = strings.TrimRight(strings.Repeat(" ", at)+text[j], " ")
	}
	if k == nil {
		last := in.Content[len(in.Content)-2]
		_, to := entry(l, last, in.Content[len(in.Content)-1])
		text[0] = strings.Repeat(" ", at) + text[0]
		return d.step(i, l.replace(to, to, text...).bytes(), len(d.m.Rows))
	}
	from, to := entry(l, k, v)
	text[0] = lead(l[from], k) + text[0]
	if tail, ok := trailing(l[from], v); ok && to == from+1 && len(text) == 1 {
		text[0] += tail
	} else if c := cmp.Or(v.LineComment, k.LineComment); c != "" {
		text[0] += " " + c
	}
	return d.step(i, l.replace(from, to, text...).bytes(), len(d.m.Rows))
}

// unset takes one key out of row i. The key that stands behind the dash hands its
// place to the next one.
func (d *draft) unset(i int, path string) error {
	in, name := d.mapping(i, path)
	if in.Style&yaml.FlowStyle != 0 {
		return d.inFlow(i, func() { put(in, name, nil) })
	}
	k, v := child(in, name)
	if k == nil || len(in.Content) < 4 {
		return d.byHand(i, fmt.Errorf("%s cannot be taken out of line %d", name, in.Line))
	}
	l := split(d.data)
	from, to := entry(l, k, v)
	if front := lead(l[from], k); !blank(front) {
		next := in.Content[2]
		if in.Content[0] != k || next.Line <= k.Line {
			return d.byHand(i, nil)
		}
		n := next.Line - 1
		moved := front + body(l[n])[min(len(front), indent(l[n])):]
		l = l.replace(n, n+1, moved)
	}
	return d.step(i, l.replace(from, to).bytes(), len(d.m.Rows))
}

// put sets a key of a mapping in the tree; a nil value takes it out.
func put(in *yaml.Node, name string, value *yaml.Node) {
	for j := 0; j+1 < len(in.Content); j += 2 {
		if in.Content[j].Value != name {
			continue
		}
		if value == nil {
			in.Content = slices.Delete(in.Content, j, j+2)
		} else {
			in.Content[j+1] = value
		}
		return
	}
	if value != nil {
		in.Content = append(in.Content, varNode(name), value)
	}
}

// inFlow changes a row, or a mapping in it, that is written {like: this}. Its row is
// written anew, in the style that it has.
func (d *draft) inFlow(i int, change func()) error {
	l := split(d.data)
	from, to, dash, err := d.rowAt(l, i)
	if err != nil {
		return err
	}
	n := d.tree.rows()[i]
	change()
	text, err := render(n)
	if err != nil {
		return err
	}
	// The tree was changed to write it; what it was is read from the text again.
	if err := d.take(d.data); err != nil {
		return err
	}
	for j := range text {
		front := strings.Repeat(" ", dash) + "  "
		if j == 0 {
			front = strings.Repeat(" ", dash) + "- "
		}
		text[j] = strings.TrimRight(front+text[j], " ")
	}
	return d.step(i, l.replace(from, to, text...).bytes(), len(d.m.Rows))
}

// entry returns the lines of a key with its value, [from, to).
func entry(l lines, k, v *yaml.Node) (from, to int) {
	from = k.Line - 1
	to = l.extent(from, k.Column-1)
	if v.Kind == yaml.SequenceNode && v.Style&yaml.FlowStyle == 0 && v.Column == k.Column {
		last := v.Content[len(v.Content)-1]
		to = max(to, l.extent(last.Line-1, k.Column-1))
	}
	if v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		for to > from+1 && (comment(l[to-1]) || blank(l[to-1])) {
			to--
		}
	}
	return from, to
}

// lead is what stands before a key in its line: blanks, maybe a dash.
func lead(line string, k *yaml.Node) string { return line[:min(k.Column-1, len(line))] }

// trailing returns the comment behind a value of one line, with the blanks before
// it.
func trailing(line string, v *yaml.Node) (string, bool) {
	line = body(line)
	at := v.Column - 1
	if v.Kind != yaml.ScalarNode || v.Anchor != "" || at > len(line) {
		return "", false
	}
	rest := line[at:]
	switch {
	case v.Style&yaml.DoubleQuotedStyle != 0:
		rest = afterQuote(rest, '"', '\\')
	case v.Style&yaml.SingleQuotedStyle != 0:
		rest = afterQuote(rest, '\'', '\'')
	case strings.HasPrefix(rest, "#"): // no value at all
		return " " + rest, true
	default:
		i := strings.Index(rest, " #")
		if i < 0 {
			return "", true
		}
		return rest[len(strings.TrimRight(rest[:i], " \t")):], true
	}
	if blank(rest) {
		return "", true
	}
	return rest, strings.HasPrefix(strings.TrimSpace(rest), "#")
}

// afterQuote returns what follows a quoted text. escape before a quote makes it
// part of the text.
func afterQuote(s string, quote, escape byte) string {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == escape && i+1 < len(s) && (escape != quote || s[i+1] == quote):
			i++
		case s[i] == quote:
			return s[i+1:]
		}
	}
	return ""
}

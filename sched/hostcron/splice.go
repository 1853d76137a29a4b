package hostcron

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }

// lines is a text by lines, each with its end.
type lines []string

func split(data []byte) lines {
	ls := strings.SplitAfter(string(data), "\n")
	if ls[len(ls)-1] == "" {
		ls = ls[:len(ls)-1]
	}
	return ls
}

func (l lines) bytes() []byte { return []byte(strings.Join(l, "")) }

// eol is the end that new lines get: that of the first one.
func (l lines) eol() string {
	if len(l) > 0 && strings.HasSuffix(l[0], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// replace puts new lines, given without ends, in the place of [from, to).
func (l lines) replace(from, to int, with ...string) lines {
	out := slices.Clone(l[:from])
	eol := l.eol()
	if n := len(out); n > 0 && !strings.HasSuffix(out[n-1], "\n") {
		out[n-1] += eol
	}
	for _, w := range with {
		out = append(out, w+eol)
	}
	return append(out, l[to:]...)
}

func body(line string) string { return strings.TrimRight(line, "\r\n") }

func blank(line string) bool { return strings.TrimSpace(line) == "" }

func comment(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "#") }

// indent counts the blanks that a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// extent returns the end of what begins in line from and is indented deeper than
// at. What trails after it, blank lines and comments that are not deeper, is not
// part of it.
func (l lines) extent(from, at int) int {
	end := from + 1
	for i := end; i < len(l); i++ {
		switch {
		case blank(l[i]):
		case indent(l[i]) <= at:
			return end
		default:
			end = i + 1
		}
	}
	return end
}

// rowAt returns the lines of row i, [from, to), and the indent of its dash.
func (d *draft) rowAt(l lines, i int) (from, to, dash int, err error) {
	n := d.tree.rows()[i]
	dash = d.tree.list.Column - 1
	if d.tree.list.Style&yaml.FlowStyle != 0 || n.Kind != yaml.MappingNode {
		return 0, 0, 0, d.byHand(i, nil)
	}
	for from = n.Line - 1; from >= 0; from-- {
		if line := l[from]; indent(line) == dash && strings.HasPrefix(line[dash:], "-") {
			return from, l.extent(from, dash), dash, nil
		}
	}
	return 0, 0, 0, d.byHand(i, nil)
}

// removeRow takes a row out, with the comment right above it. A comment that
// begins the list may be about the list, and stays.
func (d *draft) removeRow(i int) error {
	l := split(d.data)
	from, to, dash, err := d.rowAt(l, i)
	if err != nil {
		return err
	}
	above := from
	for above > 0 && comment(l[above-1]) && indent(l[above-1]) == dash {
		above--
	}
	if above > 0 && (blank(l[above-1]) || i > 0) {
		from = above
	}
	// Of the blank lines on both sides one side is enough.
	if from > 0 && blank(l[from-1]) {
		for to < len(l) && blank(l[to]) {
			to++
		}
	}
	return d.step(i, l.replace(from, to).bytes(), len(d.m.Rows)-1)
}

// appendRow writes a new row behind the last one.
func (d *draft) appendRow(s Schedule) error {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, k := range keys() {
		if v := k.get(s); v != nil {
			n.Content = append(n.Content, scalar(k.name), v)
		}
	}
	text, err := render(n)
	if err != nil {
		return err
	}
	l := split(d.data)
	var at int
	dash := 2
	switch rows := d.tree.rows(); {
	case len(rows) > 0:
		if _, at, dash, err = d.rowAt(l, len(rows)-1); err != nil {
			return err
		}
		for at < len(l) && comment(l[at]) && indent(l[at]) >= dash && dash > 0 {
			at++
		}
	case d.tree.list != nil:
		if at, err = d.openList(&l); err != nil {
			return err
		}
	default:
		l, at = d.newList(l)
	}
	for j := range text {
		lead := "  "
		if j == 0 {
			lead = "- "
		}
		text[j] = strings.TrimRight(strings.Repeat(" ", dash)+lead+text[j], " ")
	}
	return d.step(len(d.m.Rows), l.replace(at, at, text...).bytes(), len(d.m.Rows)+1)
}

// openList makes room behind a schedules key without rows: its value is nothing,
// null or [].
func (d *draft) openList(l *lines) (at int, err error) {
	for i := 0; i+1 < len(d.tree.root.Content); i += 2 {
		k, v := d.tree.root.Content[i], d.tree.root.Content[i+1]
		if k.Value != "schedules" {
			continue
		}
		line := body((*l)[k.Line-1])
		head, tail, ok := strings.Cut(line, "schedules:")
		value := strings.TrimSpace(strings.SplitN(tail, "#", 2)[0])
		if !ok || head != "" || v.Anchor != "" || !slices.Contains([]string{"", "[]", "null", "~"}, value) {
			break
		}
		line = strings.TrimRight("schedules:"+strings.Replace(tail, value, "", 1), " ")
		*l = l.replace(k.Line-1, k.Line, line)
		return k.Line, nil
	}
	return 0, d.byHand(len(d.m.Rows), nil)
}

// newList adds the key, and to a file without anything in it also the version.
func (d *draft) newList(l lines) (lines, int) {
	var with []string
	if d.tree.root == nil {
		with = append(with, fmt.Sprintf("version: %d", version))
	}
	l = l.replace(len(l), len(l), append(with, "schedules:")...)
	return l, len(l)
}

// render writes a node as YAML lines.
func render(n *yaml.Node) ([]string, error) {
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, fmt.Errorf("write a schedule: %w", err)
	}
	return strings.Split(strings.TrimRight(out.String(), "\n"), "\n"), nil
}

package trigger

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// spliced returns the file with nothing but the lines of the one row replaced; ok is
// false where that cannot be done.
func (d *document) spliced() (next []byte, ok bool) {
	doc, list, err := parseFile(d.path, d.data)
	if err != nil || list != nil && list.Style&yaml.FlowStyle != 0 && len(list.Content) > 0 {
		return nil, false
	}
	if d.done == nothing {
		return d.data, true
	}
	t := textLines{strings.SplitAfter(strings.TrimSuffix(string(d.data), "\n"), "\n")}
	t.lines[len(t.lines)-1] += "\n"
	if list == nil || len(list.Content) == 0 {
		return d.first(t, doc.Content[0])
	}
	at := d.at
	if d.done == appended {
		at = len(list.Content) - 1
	}
	if d.done == removed && len(list.Content) == 1 {
		return nil, false
	}
	from, to := t.rowLines(list, at, behind(doc.Content[0], list))
	indent := indentOf(t.lines[from])
	switch d.done {
	case removed:
		return t.replace(t.withComments(from, indent), to, ""), true
	case appended:
		from = to
	}
	text, err := rowText(d.list.Content[d.at], indent)
	return t.replace(from, to, text), err == nil
}

// first returns the file with its first row.
func (d *document) first(t textLines, top *yaml.Node) ([]byte, bool) {
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if key.Value != listKey {
			continue
		}
		// What stands behind the key is null, or an empty list.
		line := t.lines[key.Line-1]
		if strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "[]")) != listKey+":" || value.Kind == yaml.SequenceNode && value.Line != key.Line {
			return nil, false
		}
		t.lines[key.Line-1] = listKey + ":\n"
		text, err := rowText(d.list.Content[0], "  ")
		return t.replace(key.Line, key.Line, text), err == nil
	}
	text, err := rowText(d.list.Content[0], "  ")
	return t.replace(len(t.lines), len(t.lines), listKey+":\n"+text), err == nil
}

// rowText returns a row as it stands in a list that is indented so. Comments above
// the row are not the row's.
func rowText(n *yaml.Node, indent string) (string, error) {
	row := *follow(n)
	row.HeadComment, row.FootComment = "", ""
	row.Content = slices.Clone(row.Content)
	if len(row.Content) > 1 {
		first, last := *row.Content[0], *row.Content[len(row.Content)-2]
		first.HeadComment = ""
		row.Content[0] = &first
		if len(row.Content) == 2 {
			last = first
		}
		last.FootComment = ""
		row.Content[len(row.Content)-2] = &last
	}
	data, err := encode(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{&row}})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for line := range strings.Lines(string(data)) {
		if strings.TrimSpace(line) != "" {
			out.WriteString(indent)
		}
		out.WriteString(line)
	}
	return out.String(), nil
}

// behind returns the line, from 1, of the key that follows the list at the top, or
// 0.
func behind(top, list *yaml.Node) int {
	for i := 0; i+3 < len(top.Content); i += 2 {
		if follow(top.Content[i+1]) == list {
			return top.Content[i+2].Line
		}
	}
	return 0
}

// textLines is a text by lines, each with its newline.
type textLines struct{ lines []string }

// rowLines returns the lines [from, to) of a row, without the comments and blank
// lines around it. after is the line of what follows the list, from 1; 0: nothing.
func (t textLines) rowLines(list *yaml.Node, at, after int) (from, to int) {
	from, to = list.Content[at].Line-1, len(t.lines)
	if after > 0 {
		to = after - 1
	}
	if at+1 < len(list.Content) {
		to = list.Content[at+1].Line - 1
	}
	for to > from+1 && isBlankOrComment(t.lines[to-1]) {
		to--
	}
	return from, to
}

// withComments returns where the comments above a row begin, which go with it.
func (t textLines) withComments(from int, indent string) int {
	for from > 0 && strings.HasPrefix(t.lines[from-1], indent+"#") {
		from--
	}
	return from
}

func (t textLines) replace(from, to int, text string) []byte {
	head, tail := strings.Join(t.lines[:from], ""), strings.Join(t.lines[to:], "")
	return []byte(head + text + tail)
}

func isBlankOrComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }

package hostcron

import (
	"slices"
	"time"

	"gopkg.in/yaml.v3"
)

// field is one key of a mapping with its value. Aliases are followed.
type field struct {
	key, value *yaml.Node
	own        bool // written in the mapping itself, not merged into it
}

// mergeDepth bounds how far merges may lead to merges; they can go in circles.
const mergeDepth = 8

// fieldsOf returns the keys of a mapping in file order, those merged in by << last
// and only where the mapping does not say them itself. A key that is given twice is
// there twice.
func fieldsOf(n *yaml.Node, depth int) []field {
	var out, merged []field
	if n = follow(n); n.Kind != yaml.MappingNode || depth > mergeDepth {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := follow(n.Content[i]), follow(n.Content[i+1])
		switch {
		case k.Tag != "!!merge":
			out = append(out, field{k, v, true})
		case v.Kind == yaml.SequenceNode:
			for _, from := range v.Content {
				merged = append(merged, fieldsOf(from, depth+1)...)
			}
		default:
			merged = append(merged, fieldsOf(v, depth+1)...)
		}
	}
	for _, f := range merged {
		if !slices.ContainsFunc(out, func(o field) bool { return o.key.Value == f.key.Value }) {
			f.own = false
			out = append(out, f)
		}
	}
	return out
}

// follow returns what an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// parseRow reads one row and finds everything that is wrong with it.
func parseRow(path string, n *yaml.Node, host *time.Location) Row {
	r := Row{Line: n.Line}
	lines := map[string]int{}
	say := func(line int, key, what string, odd bool) {
		p := Problem{File: path, Line: line, Key: clip(key), What: what, Odd: odd}
		if odd {
			r.Odd = append(r.Odd, p)
		} else {
			r.Problems = append(r.Problems, p)
		}
	}
	if follow(n).Kind != yaml.MappingNode {
		say(n.Line, "", "the row is "+kindOf(n)+", want keys and values", false)
		return r
	}
	known := keys()
	for _, f := range fieldsOf(n, 0) {
		name := f.key.Value
		i := slices.IndexFunc(known, func(k key) bool { return k.name == name })
		_, twice := lines[name]
		switch {
		case twice:
			say(f.key.Line, name, "is given twice, keep one", false)
		case i < 0:
			say(f.key.Line, name, stranger(name), true)
		case f.value.Tag == "!!null":
		default:
			if err := known[i].set(&r.Schedule, f.value); err != nil {
				say(f.value.Line, name, err.Error(), false)
			}
		}
		lines[name] = f.key.Line
	}
	r.check(path, lines, host)
	return r
}

func stranger(name string) string {
	if near := nearest(name, keyNames()); near != "" {
		return "unknown key, did you mean " + near + "?"
	}
	return "unknown key, kept and not looked at"
}

// check adds what Schedule.Check finds, unless the key could not even be read.
func (r *Row) check(path string, lines map[string]int, host *time.Location) {
	unread := r.Problems
	for _, p := range r.Schedule.Check(host) {
		if slices.ContainsFunc(unread, func(u Problem) bool { return u.Key == p.Key && p.Key != "" }) {
			continue
		}
		p.File, p.Line = path, r.Line
		if line, ok := lines[p.Key]; ok {
			p.Line = line
		}
		r.Problems = append(r.Problems, p)
	}
	for _, list := range [][]Problem{r.Problems, r.Odd} {
		for i := range list {
			list[i].Name = r.Name
		}
	}
}

// nearest returns the candidate that name was most likely meant to be, or "".
func nearest(name string, candidates []string) string {
	best, bestAt := "", max(2, len(name)/3)+1
	for _, c := range candidates {
		if d := distance(name, c); d < bestAt && d < len(name) {
			best, bestAt = c, d
		}
	}
	return best
}

// distance is the number of single-byte edits between a and b.
func distance(a, b string) int {
	const most = 80
	if len(a) > most || len(b) > most {
		return len(a) + len(b) // too long for a slip
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			corner, row[j+1] = row[j+1], min(corner+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

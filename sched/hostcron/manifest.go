package hostcron

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// version is that of the manifests that this package reads and writes.
const version = 1

// Manifest is what a file says.
type Manifest struct {
	Path    string
	Missing bool // there is no file; it has no rows
	Rows    []Row
	Odd     []Problem // of the file as a whole; it works all the same
}

// Row is one entry of the manifest, usable or not.
type Row struct {
	Schedule
	Line     int       // from 1
	Problems []Problem // that keep it from being used; empty: none
	Odd      []Problem // warnings
}

// Err returns the row's problems as an *Error, or nil.
func (r Row) Err() error {
	if len(r.Problems) == 0 {
		return nil
	}
	return &Error{r.Problems}
}

// Load reads a manifest. A file that does not exist has no rows, but a link to one is
// an error: the schedules are elsewhere, and not gone. A file that cannot be read as
// YAML is an *Error with its line. host is the zone of rows without one.
func Load(path string, host *time.Location) (*Manifest, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, linked := os.Lstat(path); linked == nil {
			return nil, fmt.Errorf("read the schedules: %s is a link to a file that does not exist", path)
		}
		return &Manifest{Path: path, Missing: true}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the schedules: %w", err)
	}
	m, _, err := parse(path, data, host)
	return m, err
}

// Find returns the row of a name, also one with problems. Errors: *UnknownError.
func (m *Manifest) Find(name string) (Row, error) {
	i := m.index(name)
	if i < 0 {
		var names []string
		for _, r := range m.Rows {
			names = append(names, r.Name)
		}
		return Row{}, &UnknownError{Name: name, Manifest: m.Path, Near: nearest(name, names)}
	}
	return m.Rows[i], nil
}

func (m *Manifest) index(name string) int {
	return slices.IndexFunc(m.Rows, func(r Row) bool { return name != "" && r.Name == name })
}

// parse reads the text of a manifest and returns its tree beside it. An empty
// document has a nil tree.
func parse(path string, data []byte, host *time.Location) (*Manifest, *tree, error) {
	t, err := parseTree(path, data)
	if err != nil {
		return nil, nil, err
	}
	m := &Manifest{Path: path, Odd: t.odd}
	for _, n := range t.rows() {
		m.Rows = append(m.Rows, parseRow(path, n, host))
	}
	m.refuseTwins()
	return m, t, nil
}

// refuseTwins lets the first row of a name stand. Names that differ in case alone
// would share a state on some file systems.
func (m *Manifest) refuseTwins() {
	first := map[string]int{}
	for i := range m.Rows {
		r := &m.Rows[i]
		folded := strings.ToLower(r.Name)
		line, taken := first[folded]
		switch {
		case r.Name == "":
		case taken:
			r.Problems = append(r.Problems, Problem{File: m.Path, Line: r.Line, Name: r.Name, Key: "name",
				What: fmt.Sprintf("is the name of line %d already, want one of its own", line)})
		default:
			first[folded] = r.Line
		}
	}
}

// tree is the YAML of one manifest.
type tree struct {
	root *yaml.Node // the mapping at the top; nil: the document is empty
	list *yaml.Node // the value of schedules, nil when there is no such key
	odd  []Problem
}

func (t *tree) rows() []*yaml.Node {
	if t.list == nil || t.list.Kind != yaml.SequenceNode {
		return nil
	}
	return t.list.Content
}

func parseTree(path string, data []byte) (*tree, error) {
	var doc yaml.Node
	d := yaml.NewDecoder(strings.NewReader(string(data)))
	if err := d.Decode(&doc); err != nil {
		if strings.TrimSpace(err.Error()) == "EOF" {
			return &tree{}, nil
		}
		return nil, unreadable(path, data, err)
	}
	var second yaml.Node
	if d.Decode(&second) == nil {
		return nil, wrong(path, second.Line, "", "a second document begins here, want one")
	}
	top := doc.Content[0]
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return &tree{}, nil
	}
	if top.Kind != yaml.MappingNode {
		return nil, wrong(path, top.Line, "", "is "+kindOf(top)+", want `version: 1` and `schedules:`")
	}
	return readTop(path, top)
}

func readTop(path string, top *yaml.Node) (*tree, error) {
	t := &tree{root: top}
	for _, f := range fieldsOf(top, 0) {
		switch f.key.Value {
		case "version":
			if v, err := strconv.Atoi(f.value.Value); err != nil || v < 1 || v > version {
				return nil, wrong(path, f.value.Line, "version", show(f.value)+" is not known here, want 1: a newer iterion may have written this file")
			}
		case "schedules":
			if t.list != nil {
				return nil, wrong(path, f.key.Line, "schedules", "is given twice, keep one")
			}
			if t.list = f.value; t.list.Kind != yaml.SequenceNode && t.list.Tag != "!!null" {
				return nil, wrong(path, f.value.Line, "schedules", "is "+kindOf(f.value)+", want a list")
			}
		default: // it may hold what rows refer to
			if near := nearest(f.key.Value, []string{"version", "schedules"}); near != "" {
				t.odd = append(t.odd, Problem{File: path, Line: f.key.Line, Key: clip(f.key.Value), Odd: true,
					What: "unknown key, did you mean " + near + "?"})
			}
		}
	}
	return t, nil
}

func wrong(path string, line int, key, what string) *Error {
	return &Error{[]Problem{{File: path, Line: line, Key: key, What: what}}}
}

// unreadable turns the parser's error into one with a line, and looks for the slip
// that is made most: an expression that begins with a star and has no quotes.
func unreadable(path string, data []byte, err error) *Error {
	what := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if n, rest, ok := strings.Cut(strings.TrimPrefix(what, "line "), ": "); ok {
		if v, err := strconv.Atoi(n); err == nil {
			line, what = v, rest
		}
	}
	for i, l := range strings.Split(string(data), "\n") {
		l = strings.TrimPrefix(strings.TrimSpace(l), "- ")
		if v, ok := strings.CutPrefix(strings.TrimSpace(l), "cron:"); ok && strings.HasPrefix(strings.TrimSpace(v), "*") {
			return wrong(path, i+1, "cron", fmt.Sprintf("an expression that begins with a star needs quotes: cron: %q", strings.TrimSpace(v)))
		}
	}
	return wrong(path, line, "", "is no YAML: "+what)
}

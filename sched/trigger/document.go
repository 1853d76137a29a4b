package trigger

import (
	"bytes"
	"slices"

	"gopkg.in/yaml.v3"
)

// document is a triggers.yaml in which one row is being edited.
type document struct {
	path string
	data []byte     // as it is
	doc  *yaml.Node // as it shall be
	list *yaml.Node // of the rows in it
	at   int        // the row that is edited
	done act
}

// act is what is done to the one row.
type act int

const (
	nothing act = iota
	changed
	removed
	appended
)

// newFile is what a new triggers.yaml says above its rows.
const newFile = "# Subscriptions of this store, see `iterion trigger --help`.\nversion: 1\ntriggers:\n"

func newDocument(path string, data []byte) (*document, error) {
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(slices.Clone(data), '\n')
	}
	doc, list, err := parseFile(path, data)
	if err != nil {
		return nil, err
	}
	if doc == nil { // nothing but comments, if anything
		head := []byte(newFile)
		if len(bytes.TrimSpace(data)) > 0 {
			head = []byte("version: 1\ntriggers:\n")
		}
		data = append(slices.Clone(data), head...)
		if doc, list, err = parseFile(path, data); err != nil {
			return nil, err
		}
	}
	d := &document{path: path, data: data, doc: doc, list: list}
	if list == nil {
		d.list = newList(doc.Content[0])
	}
	return d, nil
}

// newList puts an empty list in the place of none.
func newList(top *yaml.Node) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for i := 0; i+1 < len(top.Content); i += 2 {
		if top.Content[i].Value == listKey {
			top.Content[i+1] = list
			return list
		}
	}
	top.Content = append(top.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: listKey}, list)
	return list
}

// index returns the place of the row of that id, or -1.
func (d *document) index(id string) int {
	return slices.IndexFunc(d.list.Content, func(n *yaml.Node) bool { return newRow(d.path, follow(n)).id == id })
}

func (d *document) row(at int) *yaml.Node { return follow(d.list.Content[at]) }

// touch says that a row was changed, unless it is a new one.
func (d *document) touch(at int) {
	if d.done == nothing {
		d.at, d.done = at, changed
	}
}

func (d *document) append(n *yaml.Node) int {
	d.list.Content = append(d.list.Content, n)
	d.at, d.done = len(d.list.Content)-1, appended
	return d.at
}

func (d *document) remove(at int) {
	d.list.Content = slices.Delete(d.list.Content, at, at+1)
	d.at, d.done = at, removed
}

// bytes returns the file as it shall be. Where the file is written in the usual way
// only the lines of the one row differ. Another one is written anew from its tree,
// which keeps comments and order.
func (d *document) bytes() ([]byte, error) {
	if next, ok := d.spliced(); ok && d.says(next) {
		return next, nil
	}
	d.list.Style &^= yaml.FlowStyle
	return encode(d.doc)
}

// says reports whether a file says what the document shall say.
func (d *document) says(data []byte) bool {
	doc, list, err := parseFile(d.path, data)
	if err != nil || doc == nil {
		return false
	}
	if list == nil {
		newList(doc.Content[0])
	}
	return alike(doc, d.doc)
}

// alike compares trees by what they say, whatever they look like.
func alike(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) || a.ShortTag() != b.ShortTag() {
		return false
	}
	for i := range a.Content {
		if !alike(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

func encode(n *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	err := enc.Encode(n)
	return out.Bytes(), err
}

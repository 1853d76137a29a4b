package hostcron

import (
	"fmt"
	"slices"
	"time"

	"gopkg.in/yaml.v3"
)

// draft is a manifest that is being edited. After every step its text is read
// again, so that lines are always those of the text.
type draft struct {
	old, data []byte
	path      string
	host      *time.Location
	m         *Manifest
	tree      *tree
}

func newDraft(path string, data []byte, host *time.Location) (*draft, error) {
	d := &draft{old: data, path: path, host: host}
	return d, d.take(data)
}

func (d *draft) take(data []byte) (err error) {
	d.data = data
	d.m, d.tree, err = parse(d.path, data, d.host)
	return err
}

// find returns the index of a row; fold also finds names that differ in case.
func (d *draft) find(name string, fold bool) int {
	return slices.IndexFunc(d.m.Rows, func(r Row) bool {
		return r.Name == name || fold && len(name) > 0 && equalFold(r.Name, name)
	})
}

// step replaces the text by one that must hold the same but for row i, and row i
// must be there or not as want says.
func (d *draft) step(i int, data []byte, rows int) error {
	before := d.tree
	if err := d.take(data); err != nil {
		return d.byHand(i, err)
	}
	was, is := before.rows(), d.tree.rows()
	same := len(is) == rows && sameRest(before, d.tree)
	for j := 0; same && j < len(was); j++ {
		k := j
		if rows < len(was) && j > i {
			k = j - 1
		}
		if j != i {
			same = k < len(is) && sameNode(was[j], is[k])
		}
	}
	if !same {
		return d.byHand(i, nil)
	}
	return nil
}

// expect refuses a row that does not read back as it was meant.
func (d *draft) expect(i int, want Schedule) error {
	r := d.m.Rows[i]
	if err := r.Err(); err != nil {
		return err
	}
	for _, k := range keys() {
		if !sameNode(k.get(r.Schedule), k.get(want)) {
			return d.byHand(i, fmt.Errorf("%s would not come out as it was meant", k.name))
		}
	}
	return nil
}

// byHand says that the layout of the file is beyond this package.
func (d *draft) byHand(i int, err error) error {
	old, _, _ := parse(d.path, d.old, d.host)
	line := 1
	if old != nil && i < len(old.Rows) {
		line = old.Rows[i].Line
	}
	what := "cannot be edited without touching the lines around it, change it by hand"
	if err != nil {
		what += " (" + err.Error() + ")"
	}
	return wrong(d.path, line, "", what)
}

// sameRest compares everything but the rows.
func sameRest(a, b *tree) bool {
	if a.root == nil || b.root == nil {
		return a.root == nil
	}
	rest := func(t *tree) (out []*yaml.Node) {
		for i := 0; i+1 < len(t.root.Content); i += 2 {
			if t.root.Content[i].Value != "schedules" {
				out = append(out, t.root.Content[i], t.root.Content[i+1])
			}
		}
		return out
	}
	return slices.EqualFunc(rest(a), rest(b), sameNode)
}

// sameNode compares what two nodes say, not how they are written.
func sameNode(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.Value == b.Value && a.Anchor == b.Anchor &&
		a.ShortTag() == b.ShortTag() && slices.EqualFunc(a.Content, b.Content, sameNode)
}

package manifest

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Parse reads a manifest. file is only used in messages. The error is an *Error
// that holds every problem found.
func Parse(file string, data []byte) (Manifest, error) {
	r := &reader{file: file}
	doc := r.document(data)
	if doc == nil {
		return Manifest{}, r.err()
	}
	m := r.manifest(doc)
	if err := r.err(); err != nil {
		return Manifest{}, err
	}
	return m, nil
}

// document returns the root node of the only document in data.
func (r *reader) document(data []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		r.problem(&doc, "", "is empty, want at least name: and run:")
		return nil
	case err != nil:
		r.syntax(err)
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		r.problem(&second, "", "has a second document, keep one")
		return nil
	case !errors.Is(err, io.EOF):
		r.syntax(err)
		return nil
	}
	return doc.Content[0]
}

// syntax turns the YAML parser's "yaml: line 3: text" into a problem of line 3.
func (r *reader) syntax(err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	at := &yaml.Node{}
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if num, what, ok := strings.Cut(rest, ": "); ok {
			at.Line, _ = strconv.Atoi(num)
			text = what
		}
	}
	r.problem(at, "", "is not YAML: %s", text)
}

func (r *reader) manifest(root *yaml.Node) Manifest {
	b := r.block(root, "")
	m := Manifest{
		SchemaVersion: b.schemaVersion(),
		Name:          b.name(),
		DisplayName:   b.text("display_name"),
		Icon:          b.text("icon"),
		Version:       b.text("version"),
		Description:   b.text("description"),
		WhenToUse:     b.text("when_to_use"),
		Enabled:       b.flag("enabled", true),
		Run:           b.run(),
		Vars:          b.vars(),
		Retry:         b.retry(),
		Forge:         b.forge(),
	}
	m.DispatchVars = b.dispatchVars(m.VarNames())
	m.Invocations = b.invocations(m.VarNames())
	if n := b.values["name"]; n != nil {
		m.nameLine = n.Line
	}
	for _, key := range b.strangers() {
		m.Ignored = append(m.Ignored, oneLine(key.Value))
	}
	m.Ignored = append(m.Ignored, b.ignored...)
	return m
}

// Keys returns the top-level keys that mean something.
func Keys() []string {
	return []string{"schema_version", "name", "display_name", "icon", "version", "description", "when_to_use", "enabled",
		"run", "vars", "retry", "forge", "dispatch_vars", "invocations"}
}

func (b *block) schemaVersion() int {
	n := b.take("schema_version")
	if n == nil {
		return SchemaVersion
	}
	v, err := strconv.Atoi(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode || err != nil || v < 1:
		b.problem(n, "schema_version", "is %s, want %d", quote(n), SchemaVersion)
	case v > SchemaVersion:
		b.problem(n, "schema_version", "is %d, this iterion reads up to %d: use a newer iterion", v, SchemaVersion)
	}
	return v
}

func (b *block) name() string {
	n := b.take("name")
	if n == nil {
		b.problem(b.node, "name", "is missing, want the folder's name")
		return ""
	}
	name := b.scalar(n, "name")
	if n.Kind == yaml.ScalarNode && !ValidName(name) {
		b.problem(n, "name", "%q is no bot name, want %s", clip(name), NameRule)
	}
	return name
}

// NameRule says in words what ValidName checks.
const NameRule = "a lower-case letter, then lower-case letters, digits, - and _"

package trigger

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"iterion/bots/manifest"
)

// readRows returns the rows of a triggers.yaml.
func readRows(path string, data []byte) ([]*row, error) {
	_, list, err := parseFile(path, data)
	if err != nil || list == nil {
		return nil, err
	}
	var rows []*row
	for _, n := range list.Content {
		rows = append(rows, newRow(path, follow(n)))
	}
	return rows, nil
}

// fileVersion is the version of triggers.yaml that this package writes.
const fileVersion = 1

// listKey is the key of the rows in triggers.yaml.
const listKey = "triggers"

// parseFile returns the document and the list of rows in it; both may be nil.
func parseFile(path string, data []byte) (doc, list *yaml.Node, err error) {
	if !slices.ContainsFunc(strings.Split(string(data), "\n"), func(l string) bool { return !isBlankOrComment(l) }) {
		return nil, nil, nil
	}
	doc = &yaml.Node{}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(doc); err != nil {
		return nil, nil, &FileError{Problem{File: path, Line: yamlLine(err), What: yamlWords(err)}}
	}
	if dec.Decode(&yaml.Node{}) != io.EOF {
		return nil, nil, &FileError{Problem{File: path, What: "holds several documents, want one"}}
	}
	refuse := func(n *yaml.Node, format string, args ...any) (*yaml.Node, *yaml.Node, error) {
		return nil, nil, &FileError{Problem{File: path, Line: n.Line, What: fmt.Sprintf(format, args...)}}
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return refuse(top, "want a mapping with the keys version and %s", listKey)
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], follow(top.Content[i+1])
		switch {
		case key.Value == "version" && newer(value):
			return refuse(value, "version %s is newer than this program's %d", value.Value, fileVersion)
		case key.Value == listKey && list != nil:
			return refuse(key, "%s is given twice, keep one", listKey)
		case key.Value == listKey && value.Kind == yaml.SequenceNode:
			list = value
		case key.Value == listKey && value.Tag != "!!null":
			return refuse(value, "%s is not a list", listKey)
		case key.Value != "version" && key.Value != listKey && manifest.Nearest(key.Value, []string{"version", listKey}) != "":
			return refuse(key, "unknown key %s, did you mean %s?", key.Value, manifest.Nearest(key.Value, []string{"version", listKey}))
		}
	}
	return doc, list, nil
}

func newer(n *yaml.Node) bool {
	var v int
	return n.Decode(&v) != nil || v > fileVersion
}

// yamlLine finds the line in a message of the YAML reader.
func yamlLine(err error) int {
	var line int
	_, at, ok := strings.Cut(err.Error(), "line ")
	if ok {
		fmt.Sscanf(at, "%d", &line)
	}
	return line
}

func yamlWords(err error) string {
	words := strings.TrimPrefix(err.Error(), "yaml: ")
	if line := yamlLine(err); line > 0 {
		words = strings.TrimPrefix(words, fmt.Sprintf("line %d: ", line))
	}
	return strings.Join(strings.Fields(words), " ")
}

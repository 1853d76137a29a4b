package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// References returns the names that a template may refer to. issue.fields.NAME
// stands for any custom field, issue.metadata.KEY for what a foreign tracker adds.
func References() []string {
	return []string{
		"issue.id", "issue.identifier", "issue.title", "issue.body", "issue.state", "issue.priority",
		"issue.assignee", "issue.labels", "issue.url", "issue.created_at", "issue.updated_at", "issue.fields.NAME", "issue.metadata.KEY",
		"dispatcher.name", "dispatcher.run_id", "dispatcher.workspace_path", "dispatcher.attempt",
	}
}

// CheckTemplate returns what is wrong with a template: a reference outside the
// closed set, or braces that do not close.
func CheckTemplate(s string) error {
	_, err := Expand(s, func(string) (string, bool) { return "", true })
	return err
}

// Expand replaces each {{name}} of a template by ref's value for it. A name
// that ref does not know becomes empty. The values are not expanded again.
func Expand(s string, ref func(name string) (string, bool)) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, "{{")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		inside, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return "", fmt.Errorf("%q is not closed, write it like {{issue.title}}", "{{"+clip(inside))
		}
		name := strings.TrimSpace(inside)
		if err := checkReference(name); err != nil {
			return "", err
		}
		value, _ := ref(name)
		out.WriteString(value)
		s = after
	}
}

func checkReference(name string) error {
	known := References()
	if slices.Contains(known, name) {
		return nil
	}
	for _, open := range []string{"issue.fields.", "issue.metadata."} {
		if key, ok := strings.CutPrefix(name, open); ok && key != "" {
			return nil
		}
	}
	if near := Nearest(name, known); near != "" {
		return fmt.Errorf("unknown reference {{%s}}, did you mean {{%s}}?", clip(name), near)
	}
	return fmt.Errorf("unknown reference {{%s}}, want one of %s", clip(name), strings.Join(known, ", "))
}

// clip keeps a quotation in a message short.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

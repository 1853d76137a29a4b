package exchange

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"iterion/native/board"
)

// splitFrontMatter separates the YAML between the two lines of dashes from the
// text behind it.
func splitFrontMatter(doc string) (head, body string, err error) {
	doc = strings.TrimPrefix(text(doc), "\ufeff")
	rest, ok := strings.CutPrefix(doc, "---\n")
	if !ok {
		return "", "", fmt.Errorf("%w: it does not begin with a line of three dashes", board.ErrInvalid)
	}
	if body, ok := strings.CutPrefix(rest, "---\n"); ok {
		return "", strings.Trim(body, "\n"), nil
	}
	head, body, ok = strings.Cut(rest+"\n", "\n---\n")
	if !ok {
		return "", "", fmt.Errorf("%w: nothing ends the front matter: a line of three dashes is missing", board.ErrInvalid)
	}
	return head + "\n", strings.Trim(body, "\n"), nil
}

// list is a YAML list or a single value in its place.
type list []string

// UnmarshalYAML takes either form.
func (l *list) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return n.Decode((*[]string)(l))
	}
	*l = nil
	if n.Tag != "!!null" && n.Value != "" {
		*l = list{n.Value}
	}
	return nil
}

// yamlError says what is wrong in words that name no type of the program.
func yamlError(err error) error {
	var typed *yaml.TypeError
	if errors.As(err, &typed) {
		err = errors.New(strings.Join(typed.Errors, "; "))
	}
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	for pattern, plain := range yamlWords() {
		msg = regexp.MustCompile(pattern).ReplaceAllString(msg, plain)
	}
	return fmt.Errorf("%w: front matter: %s", board.ErrInvalid, msg)
}

// yamlWords are what the library says, and how people say it. Each stands for
// itself, so that their order does not matter.
func yamlWords() map[string]string {
	return map[string]string{
		`field (\S+) not found in type \S+`:                                 `there is no key "$1"`,
		`cannot unmarshal !!\w+(?: (` + "`[^`]*`" + `))? into int\b`:        `want a whole number, found $1`,
		`cannot unmarshal !!seq into \S+`:                                   `a list stands where none belongs`,
		`cannot unmarshal !!map into \S+`:                                   `names with values stand where none belong`,
		`cannot unmarshal !!str ?(` + "`[^`]*`" + `)? into (?:\[\]|map)\S+`: `want a list or names with values, found $1`,
	}
}

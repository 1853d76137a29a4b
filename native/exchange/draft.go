package exchange

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"iterion/native/board"
)

// Draft is a card as a person edits it: a text with front matter.
type Draft struct {
	Title    string            `yaml:"title"`
	State    string            `yaml:"state,omitempty"`
	Labels   []string          `yaml:"labels,flow"`
	Priority int               `yaml:"priority"`
	Assignee string            `yaml:"assignee"`
	Bot      string            `yaml:"bot"`
	BotArgs  map[string]string `yaml:"bot_args"`
	Blockers []string          `yaml:"blockers,flow"`
	Parent   string            `yaml:"parent"`
	Fields   map[string]string `yaml:"fields"`
	Body     string            `yaml:"-"`
}

// DraftOf returns the parts of a card that are edited.
func DraftOf(i board.Issue) Draft {
	d := Draft{
		Title: i.Title, State: i.State, Labels: i.Labels, Priority: i.Priority, Assignee: i.Assignee, Bot: i.Bot,
		BotArgs: i.BotArgs, Blockers: i.Blockers, Parent: i.ParentID, Body: i.Body, Fields: map[string]string{},
	}
	for name, v := range i.Fields {
		d.Fields[name] = fmt.Sprint(v)
	}
	return d
}

// Text returns the draft with the hints as comments above the front matter's end.
func (d Draft) Text(hints ...string) (string, error) {
	head, err := yaml.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("write the draft: %w", err)
	}
	var b strings.Builder
	b.WriteString("---\n")
	b.Write(head)
	for _, h := range hints {
		b.WriteString("# " + oneLine(h) + "\n")
	}
	b.WriteString("---\n\n")
	if body := strings.Trim(d.Body, "\n"); body != "" {
		b.WriteString(body + "\n")
	}
	return b.String(), nil
}

// ParseDraft reads what a person made of the text. Keys that there are not are
// refused.
func ParseDraft(doc string) (Draft, error) {
	head, body, err := splitFrontMatter(doc)
	if err != nil {
		return Draft{}, err
	}
	var d Draft
	dec := yaml.NewDecoder(strings.NewReader(head))
	dec.KnownFields(true)
	if err := dec.Decode(&d); err != nil && strings.TrimSpace(head) != "" {
		return Draft{}, yamlError(err)
	}
	d.Body = strings.Trim(body, "\n")
	return d, nil
}

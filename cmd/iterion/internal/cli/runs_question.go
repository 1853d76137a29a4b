package cli

import (
	"fmt"
	"strings"

	"iterion/native/run"
)

// questionText is what a bot asks, for people: the question, then a line for each
// field.
func questionText(form run.Form) string {
	var lines []string
	if form.Question != "" {
		lines = append(lines, form.Question)
	}
	for _, field := range form.Fields {
		lines = append(lines, askedField(field))
	}
	return strings.Join(lines, "\n")
}

// askedField is one field: "env: Where to? (one of dev, prod; default dev)".
func askedField(field run.Field) string {
	s := oneLine(field.Name)
	if field.Label != "" {
		s += ": " + field.Label
	}
	return s + " (" + fieldKind(field) + ")"
}

func fieldKind(field run.Field) string {
	kind := field.Type
	if len(field.Choices) > 0 {
		kind = field.OneOf()
	}
	switch {
	case field.Default != nil:
		kind += fmt.Sprintf("; default %v", field.Default)
	case !field.Must():
		kind += "; may be left out"
	}
	return kind
}

// answerUsage says how to answer: "answer with `iterion runs answer 3f2a91bc
// env=dev depth=1`". Fields that may be left out are.
func answerUsage(in run.Interaction) string {
	words := []string{"iterion runs answer", run.Short(in.RunID)}
	for _, field := range in.Questions.Fields {
		if field.Must() {
			words = append(words, shellWord(field.Name+"="+placeholder(field)))
		}
	}
	return "answer with `" + strings.Join(words, " ") + "`"
}

func placeholder(field run.Field) string {
	switch {
	case len(field.Choices) > 0:
		return field.Choices[0]
	case field.Type == run.FieldNumber:
		return "1"
	case field.Type == run.FieldBool:
		return "yes"
	case field.Type == run.FieldDate:
		return "2026-11-30"
	}
	return "…"
}

// shellWord quotes a word that a shell would take apart.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-=./,:…", r)
	}
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// AnswerError names everything that is wrong with the answers to a form.
type AnswerError struct {
	Problems []Problem // in the order of the form, then what was not asked
}

// Problem is what is wrong with the answer to one field.
type Problem struct {
	Field string
	Why   string // begins in the middle of a sentence: "want a number"
}

func (e *AnswerError) Error() string {
	said := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		said[i] = p.Field + ": " + p.Why
	}
	return strings.Join(said, "; ")
}

// Fit returns values as the form's types want them: a string, a json.Number or a
// bool each. What was left out takes its default, and null or a blank counts as
// left out (an optional text may be blank). Texts will do for every type, so that
// a command line can be handed in as it is. Errors: *AnswerError.
func (f Form) Fit(values map[string]any) (map[string]any, error) {
	fitted, e := map[string]any{}, &AnswerError{}
	for _, field := range f.Fields {
		value, why := field.Fit(values[field.Name])
		switch {
		case why != "":
			e.Problems = append(e.Problems, Problem{field.Name, why})
		case value != nil:
			fitted[field.Name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if names := f.Names(); !slices.Contains(names, name) {
			e.Problems = append(e.Problems, Problem{name, "this is not asked; asked is " + strings.Join(names, ", ")})
		}
	}
	if len(e.Problems) > 0 {
		return nil, e
	}
	return fitted, nil
}

// Fit returns a value as the field wants it, or its default; why says what is wrong
// with it, empty when nothing is. nil is an optional answer that was left out.
func (f Field) Fit(value any) (fitted any, why string) {
	text, isText := value.(string)
	blank := value == nil || isText && strings.TrimSpace(text) == ""
	switch {
	case !blank:
		return f.fit(value)
	case isText && f.textual() && !f.Must():
		return valid(text), ""
	case f.Default != nil:
		return f.Default, ""
	case f.Must():
		return nil, "an answer is missing: " + f.Want()
	}
	return nil, ""
}

func (f Field) textual() bool { return f.Type == FieldText || f.Type == "" }

// Want says what an answer looks like: "want a number".
func (f Field) Want() string {
	switch f.Type {
	case FieldNumber:
		return "want a number"
	case FieldBool:
		return "want yes or no"
	case FieldChoice:
		return "want " + f.OneOf()
	case FieldDate:
		return "want a date such as 2026-11-30, or an instant such as 2026-11-30T09:00:00Z"
	}
	return "want a text"
}

// OneOf lists the choices: "one of dev, prod". One that would not be seen for what it
// is, in a line and between commas, is quoted.
func (f Field) OneOf() string {
	shown := make([]string, len(f.Choices))
	for i, c := range f.Choices {
		shown[i] = c
		if c != strings.TrimSpace(c) || strings.Contains(c, ",") || strings.ContainsFunc(c, unicode.IsControl) {
			shown[i] = strconv.Quote(c)
		}
	}
	return "one of " + strings.Join(shown, ", ")
}

// fit turns a value into the field's type, or says why it cannot.
func (f Field) fit(value any) (any, string) {
	var fitted any
	text, isText := value.(string)
	switch f.Type {
	case FieldNumber:
		fitted = number(value)
	case FieldBool:
		fitted = truth(value)
	case FieldChoice:
		fitted = f.choice(scalar(value))
	case FieldDate:
		fitted = date(text)
	default:
		if isText {
			fitted = valid(text)
		}
	}
	if fitted == nil {
		return nil, f.Want()
	}
	return fitted, ""
}

// valid mends what is no UTF-8: JSON could not carry it.
func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// scalar is a value as one would type it, for choices that are numbers.
func scalar(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number, bool, float64, int:
		return fmt.Sprint(v)
	}
	return ""
}

// number keeps the digits as they were written: an id of twenty loses none.
func number(value any) any {
	text := strings.TrimSpace(scalar(value))
	if _, isBool := value.(bool); isBool {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return nil
	}
	if json.Valid([]byte(text)) {
		return json.Number(text)
	}
	return json.Number(strconv.FormatFloat(n, 'f', -1, 64))
}

func truth(value any) any {
	if b, ok := value.(bool); ok {
		return b
	}
	switch strings.ToLower(strings.TrimSpace(scalar(value))) {
	case "true", "yes", "y", "on", "1":
		return true
	case "false", "no", "n", "off", "0":
		return false
	}
	return nil
}

// choice takes a choice as it is written, else the only one that differs in
// nothing but case and blanks around it.
func (f Field) choice(text string) any {
	if slices.Contains(f.Choices, text) {
		return text
	}
	var found []string
	for _, c := range f.Choices {
		if strings.EqualFold(strings.TrimSpace(c), strings.TrimSpace(text)) {
			found = append(found, c)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// date keeps a day a day: it has no zone.
func date(text string) any {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			if layout == time.DateOnly {
				return at.Format(layout)
			}
			return at.Format(time.RFC3339Nano)
		}
	}
	return nil
}

package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ParseForm reads the questions of an ask report. Bots are written in many
// tongues, so several shapes will do:
//
//	"Ship it?"                                          one text, named answer
//	{"question":"Ship it?","choices":["yes","no"]}      one field, named answer
//	{"question":"…","fields":[{"name":"depth","type":"number","default":2}]}
//	{"question":"…","fields":{"depth":{"type":"number"},"why":"Why?"}}
//	{"depth":{"type":"number"},"why":"Why?"}            fields by name, in this order
//
// Usual other names of types are understood, a field with choices is a choice, and
// a type that nobody knows is a text: a question must not get lost over it. A blank
// choice is none, for a blank answer leaves a field out.
// Refused are questions that ask nothing, two fields of one name, and a default
// that is no answer to its own field.
func ParseForm(raw json.RawMessage) (Form, error) {
	form, err := parseShape(bytes.TrimSpace(raw))
	if err == nil {
		err = form.settle()
	}
	if err != nil {
		return Form{}, fmt.Errorf("questions: %w", err)
	}
	return form, nil
}

func parseShape(raw []byte) (Form, error) {
	switch {
	case len(raw) == 0:
		return Form{}, errors.New("there are none")
	case raw[0] == '"':
		var question string
		err := json.Unmarshal(raw, &question)
		return Form{Question: question}, err
	case raw[0] != '{':
		return Form{}, errors.New("want a text, or an object of fields by name")
	}
	all, err := members(raw)
	if err != nil {
		return Form{}, err
	}
	if isForm(all) {
		return parseForm(all)
	}
	fields, err := parseFields(all)
	return Form{Fields: fields}, err
}

// member is one name and value of a JSON object. The order in which a bot asks is
// the order in which a person should be asked, and Go's maps have none.
type member struct {
	name  string
	value json.RawMessage
}

func members(raw []byte) ([]member, error) {
	in := json.NewDecoder(bytes.NewReader(raw))
	if _, err := in.Token(); err != nil {
		return nil, err
	}
	var all []member
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)} // what comes before a colon is one
		if err := in.Decode(&m.value); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	if _, err := in.Token(); err != nil {
		return nil, err
	}
	if in.More() {
		return nil, errors.New("there is something behind their end")
	}
	return all, nil
}

// formKeys are the keys of an object that is a form and no map of fields.
var formKeys = []string{"question", "fields", "label", "type", "choices", "default", "required"}

// isForm tells a form from fields by name. A list of fields makes it one; else all
// keys must be a form's, and those that make a form must hold what they hold there.
func isForm(all []member) bool {
	form := false
	for _, m := range all {
		kind := m.value[0]
		switch {
		case m.name == "fields" && kind == '[':
			return true
		case !slices.Contains(formKeys, m.name), m.name == "question" && kind != '"':
			return false
		case m.name == "question", m.name == "fields" && kind == '{':
			form = true
		}
	}
	return form
}

func parseForm(all []member) (Form, error) {
	var form Form
	for _, m := range all {
		var err error
		switch m.name {
		case "question":
			err = json.Unmarshal(m.value, &form.Question)
		case "fields":
			form.Fields, err = parseFieldList(m.value)
		}
		if err != nil {
			return Form{}, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	if len(form.Fields) > 0 || strings.TrimSpace(form.Question) == "" {
		return form, nil
	}
	only, err := parseField(AnswerField, object(all))
	form.Fields = []Field{only}
	return form, err
}

// object writes members as an object again, without what belongs to the form.
func object(all []member) json.RawMessage {
	kept := map[string]json.RawMessage{}
	for _, m := range all {
		if m.name != "question" && m.name != "fields" {
			kept[m.name] = m.value
		}
	}
	raw, _ := json.Marshal(kept) // each value was read as JSON
	return raw
}

func parseFieldList(raw json.RawMessage) ([]Field, error) {
	if raw[0] == '{' {
		all, err := members(raw)
		if err != nil {
			return nil, err
		}
		return parseFields(all)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	fields := make([]Field, len(list))
	for i, item := range list {
		var err error
		if fields[i], err = parseField("", item); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func parseFields(all []member) ([]Field, error) {
	fields := make([]Field, len(all))
	for i, m := range all {
		var err error
		if fields[i], err = parseField(m.name, m.value); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// parseField reads an object, or a text that is the label. In a list the name is
// in the object, elsewhere it is given.
func parseField(name string, raw json.RawMessage) (Field, error) {
	f := struct {
		plainField
		Choices []json.RawMessage `json:"choices"`
	}{}
	var err error
	if raw[0] == '"' {
		err = json.Unmarshal(raw, &f.Label)
	} else {
		err = decodeExact(raw, &f)
	}
	if name != "" {
		f.Name = name
	}
	if err != nil {
		return Field{}, fmt.Errorf("field %q: %w", f.Name, err)
	}
	field := Field(f.plainField)
	field.Choices = texts(f.Choices)
	return field, nil
}

// texts takes texts as they are and any other value as it is written.
func texts(values []json.RawMessage) []string {
	var out []string
	for _, v := range values {
		var s string
		if json.Unmarshal(v, &s) != nil {
			s = string(v)
		}
		out = append(out, s)
	}
	return out
}

// otherNames are names that types have elsewhere.
var otherNames = map[string]string{
	"string": FieldText, "int": FieldNumber, "integer": FieldNumber, "float": FieldNumber,
	"boolean": FieldBool, "confirm": FieldBool, "datetime": FieldDate, "time": FieldDate,
}

// settle checks a form and brings it to what is stored.
func (f *Form) settle() error {
	f.Question = strings.TrimSpace(f.Question)
	if len(f.Fields) == 0 {
		if f.Question == "" {
			return errors.New("nothing is asked")
		}
		f.Fields = []Field{{Name: AnswerField}}
	}
	seen := map[string]bool{}
	for i := range f.Fields {
		field := &f.Fields[i]
		field.Name = strings.TrimSpace(field.Name)
		switch {
		case field.Name == "":
			return fmt.Errorf("field %d has no name", i+1)
		case seen[field.Name]:
			return fmt.Errorf("two fields are named %q", field.Name)
		}
		seen[field.Name] = true
		if err := field.settle(); err != nil {
			return fmt.Errorf("field %q: %w", field.Name, err)
		}
	}
	return nil
}

func (f *Field) settle() error {
	f.Label = strings.TrimSpace(f.Label)
	f.Type = strings.ToLower(strings.TrimSpace(f.Type))
	if known, ok := otherNames[f.Type]; ok {
		f.Type = known
	}
	f.Choices = slices.DeleteFunc(f.Choices, func(c string) bool { return strings.TrimSpace(c) == "" })
	switch {
	case len(f.Choices) > 0:
		f.Type = FieldChoice
	case f.Type == FieldChoice || !slices.Contains(FieldTypes(), f.Type):
		f.Type = FieldText
	}
	if f.Default == nil {
		return nil
	}
	value, why := f.fit(f.Default)
	if why != "" {
		return fmt.Errorf("its default %v does not fit: %s", f.Default, why)
	}
	f.Default = value
	return nil
}

package board

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The types of custom fields.
const (
	FieldText   = "text"
	FieldNumber = "number"
	FieldBool   = "bool"
	FieldDate   = "date"
	FieldEnum   = "enum"
)

func fieldTypes() []string {
	return []string{FieldText, FieldNumber, FieldBool, FieldDate, FieldEnum}
}

// Parse reads a value of the field from its text form. A number becomes a
// json.Number, a bool a bool, and the other types a string.
func (f Field) Parse(text string) (any, error) {
	switch f.Type {
	case FieldNumber:
		return f.number(text)
	case FieldBool:
		b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(text)))
		if err != nil {
			return nil, f.illTyped(text, "true or false")
		}
		return b, nil
	case FieldDate:
		return f.date(text)
	case FieldEnum:
		if !slices.Contains(f.EnumValues, text) {
			return nil, fmt.Errorf("field %s: %w", f.Name, unknownName("value", text, f.EnumValues))
		}
		return text, nil
	}
	return valid(text), nil
}

// Value checks a value of the field and returns it in the form that Parse gives
// it. A string is read as text form, whatever the field's type.
func (f Field) Value(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return f.Parse(v)
	case bool:
		if f.Type == FieldBool {
			return v, nil
		}
	case json.Number:
		if f.Type == FieldNumber {
			return f.Parse(v.String())
		}
	case time.Time:
		if f.Type == FieldDate {
			return utc(v).Format(time.RFC3339Nano), nil
		}
	case int, int64, float64:
		if f.Type == FieldNumber {
			return f.Parse(fmt.Sprint(v))
		}
	}
	return nil, f.illTyped(fmt.Sprint(v), "a value of type "+f.Type)
}

func (f Field) number(text string) (any, error) {
	text = strings.TrimSpace(text)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, f.illTyped(text, "a number")
	}
	if !json.Valid([]byte(text)) {
		text = strconv.FormatFloat(n, 'g', -1, 64)
	}
	return json.Number(text), nil
}

func (f Field) date(text string) (any, error) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if _, err := time.Parse(layout, text); err == nil {
			return text, nil
		}
	}
	return nil, f.illTyped(text, "a date such as 2026-11-30 or 2026-11-30T09:00:00Z")
}

func (f Field) illTyped(got, want string) error {
	return fmt.Errorf("%w: field %s: %q is not %s", ErrInvalid, f.Name, got, want)
}

// values checks the custom fields of a card.
func (s Schema) values(in map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(in))
	for _, name := range slices.Sorted(maps.Keys(in)) {
		f, err := s.checkField(name)
		if err != nil {
			return nil, err
		}
		if out[name], err = f.Value(in[name]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s Schema) checkField(name string) (Field, error) {
	if f, ok := s.Field(name); ok {
		return f, nil
	}
	return Field{}, unknownName("field", name, s.FieldNames())
}

// FieldNames returns the names of the custom fields in order.
func (s Schema) FieldNames() []string {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return names
}

// defaults fills in the defaults of absent fields.
func (s Schema) defaults(values map[string]any) error {
	for _, f := range s.Fields {
		if _, set := values[f.Name]; set || f.Default == nil {
			continue
		}
		v, err := f.Value(f.Default)
		if err != nil {
			return fmt.Errorf("default of %w", err)
		}
		values[f.Name] = v
	}
	return nil
}

// required refuses values that lack a required field.
func (s Schema) required(values map[string]any) error {
	for _, f := range s.Fields {
		if v, set := values[f.Name]; f.Required && (!set || v == "") {
			return fmt.Errorf("%w: field %s is required", ErrInvalid, f.Name)
		}
	}
	return nil
}

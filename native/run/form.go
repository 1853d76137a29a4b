package run

// The types of a Field's answer.
const (
	FieldText   = "text"
	FieldNumber = "number"
	FieldBool   = "bool"
	FieldChoice = "choice" // one of Choices
	FieldDate   = "date"   // 2026-11-30, or an instant in RFC 3339
)

// FieldTypes are the types of a Field, for messages and completion.
func FieldTypes() []string {
	return []string{FieldText, FieldNumber, FieldBool, FieldChoice, FieldDate}
}

// AnswerField is the name of the one field of a question that names none.
const AnswerField = "answer"

// Form is what a bot asks a person. See ParseForm for the shapes in which bots
// may say it; this one is what is stored.
type Form struct {
	Question string  `json:"question,omitempty"`
	Fields   []Field `json:"fields"`
}

// Field is one thing that is to be answered.
type Field struct {
	Name    string   `json:"name"`
	Label   string   `json:"label,omitempty"`
	Type    string   `json:"type,omitempty"` // one of FieldTypes, empty: text
	Choices []string `json:"choices,omitempty"`
	Default any      `json:"default,omitempty"` // a string, a json.Number or a bool, as Type wants; nil: none
	// Required is unset in most forms: see Must.
	Required *bool `json:"required,omitempty"`
}

// plainField is a Field without its own way of being read.
type plainField Field

// UnmarshalJSON implements json.Unmarshaler. The digits of a default stay as they
// were written.
func (f *Field) UnmarshalJSON(raw []byte) error {
	return decodeExact(raw, (*plainField)(f))
}

// Must reports whether the field has to be answered: it says so, or it says
// nothing and has no default.
func (f Field) Must() bool {
	if f.Required != nil {
		return *f.Required
	}
	return f.Default == nil
}

// Title is what a person is shown for the field.
func (f Field) Title() string {
	if f.Label != "" {
		return f.Label
	}
	return f.Name
}

// Names returns the names of the fields, in the order in which they are asked.
func (f Form) Names() []string {
	names := make([]string, len(f.Fields))
	for i, field := range f.Fields {
		names[i] = field.Name
	}
	return names
}

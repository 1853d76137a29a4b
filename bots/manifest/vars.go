package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Var is one thing that a bot wants to be told at launch.
type Var struct {
	Name        string
	Required    bool
	Default     *string  // nil: none
	Enum        []string // empty: anything goes
	Description string
}

// VarsError lists everything that is wrong with the vars of one launch.
type VarsError struct {
	Bot      string
	Problems []string
}

func (e *VarsError) Error() string {
	return fmt.Sprintf("vars of bot %s: %s", e.Bot, strings.Join(e.Problems, "; "))
}

// Unwrap makes every VarsError an ErrInvalid.
func (e *VarsError) Unwrap() error { return ErrInvalid }

// ResolveVars checks the vars of one launch and fills in the defaults. Names that
// the bot does not declare are refused: they are slips. The error is a *VarsError.
func (m Manifest) ResolveVars(in map[string]string) (map[string]string, error) {
	return m.resolve(in, true)
}

// FitVars is ResolveVars for values that were not written for this bot alone,
// such as a card's bot args or the dispatcher's own vars: names that the bot does
// not declare are passed through.
func (m Manifest) FitVars(in map[string]string) (map[string]string, error) {
	return m.resolve(in, false)
}

// CheckNames refuses names that the bot does not declare. The error is a
// *VarsError.
func (m Manifest) CheckNames(in map[string]string) error {
	if problems := m.strangers(in); len(problems) > 0 {
		return &VarsError{Bot: m.Name, Problems: problems}
	}
	return nil
}

func (m Manifest) resolve(in map[string]string, strict bool) (map[string]string, error) {
	out := maps.Clone(in)
	if out == nil {
		out = map[string]string{}
	}
	var problems []string
	for _, v := range m.Vars {
		if p := v.settle(out); p != "" {
			problems = append(problems, p)
		}
	}
	if strict {
		problems = append(problems, m.strangers(in)...)
	}
	if len(problems) > 0 {
		return nil, &VarsError{Bot: m.Name, Problems: problems}
	}
	return out, nil
}

// settle fills in the var's default and returns what is wrong with its value.
func (v Var) settle(vars map[string]string) string {
	value, given := vars[v.Name]
	if !given && v.Default != nil {
		value, given = *v.Default, true
		vars[v.Name] = value
	}
	switch {
	case v.Required && strings.TrimSpace(value) == "":
		return fmt.Sprintf("%s is required%s", v.Name, v.hint())
	case given && len(v.Enum) > 0 && !slices.Contains(v.Enum, value):
		return fmt.Sprintf("%s is %q, want one of %s", v.Name, value, strings.Join(v.Enum, ", "))
	}
	return ""
}

func (v Var) hint() string {
	if v.Description == "" {
		return ""
	}
	return " (" + v.Description + ")"
}

// strangers names the given vars that the bot does not declare.
func (m Manifest) strangers(in map[string]string) []string {
	known := m.VarNames()
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if slices.Contains(known, name) {
			continue
		}
		p := fmt.Sprintf("no var %q", name)
		if near := Nearest(name, known); near != "" {
			p += fmt.Sprintf(", did you mean %s?", near)
		} else if len(known) > 0 {
			p += ", it has " + strings.Join(known, ", ")
		} else {
			p += ", it takes none"
		}
		problems = append(problems, p)
	}
	return problems
}

// VarNames returns the declared names in file order.
func (m Manifest) VarNames() []string {
	names := make([]string, len(m.Vars))
	for i, v := range m.Vars {
		names[i] = v.Name
	}
	return names
}

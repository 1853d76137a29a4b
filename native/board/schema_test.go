package board

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefaultSchemaIsValid(t *testing.T) {
	s := DefaultSchema()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.EligibleNames(), " "); got != "ready in_progress" {
		t.Errorf("eligible: %s", got)
	}
	if !s.Terminal(StateDone) || !s.Terminal(StateBlocked) || s.Terminal(StateReview) || s.Terminal("nowhere") {
		t.Error("terminal columns are not done and blocked")
	}
	if s.Initial() != StateInbox || (Schema{}).Initial() != "" {
		t.Errorf("initial: %q", s.Initial())
	}
}

func TestUpgradeAddsTheColumnsThatOlderBoardsLack(t *testing.T) {
	for _, c := range []struct{ name, was, want string }{
		{"older default", "backlog ready in_progress review done blocked",
			"inbox backlog ready waiting_deps in_progress awaiting_input review done blocked"},
		{"without ready", "backlog doing done", "inbox backlog waiting_deps doing done"},
		{"own columns beside", "ready triage done", "inbox ready waiting_deps triage done"},
		{"inbox elsewhere", "backlog inbox done", "backlog waiting_deps inbox done"},
		{"only in_progress", "todo in_progress done", "todo in_progress awaiting_input done"},
		{"custom", "todo doing done", "todo doing done"},
		{"current", strings.Join(DefaultSchema().StateNames(), " "), strings.Join(DefaultSchema().StateNames(), " ")},
	} {
		t.Run(c.name, func(t *testing.T) {
			was := columns(c.was)
			up, changed := Upgrade(was)
			if got := strings.Join(up.StateNames(), " "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if changed != (c.was != c.want) {
				t.Errorf("changed: %v", changed)
			}
			if got := strings.Join(was.StateNames(), " "); got != c.was {
				t.Errorf("the board passed in became %s", got)
			}
			if again, more := Upgrade(up); more {
				t.Errorf("upgraded twice: %v", again.StateNames())
			}
		})
	}
}

func columns(names string) Schema {
	var s Schema
	for n := range strings.FieldsSeq(names) {
		s.States = append(s.States, State{Name: n})
	}
	return s
}

func TestValidateNamesWhatIsWrong(t *testing.T) {
	one := []State{{Name: "a"}}
	for want, s := range map[string]Schema{
		"at least one state":            {},
		`state "a" is there twice`:      {States: []State{{Name: "a"}, {Name: "a"}}},
		`state 2: "" is no name`:        {States: []State{{Name: "a"}, {}}},
		`" a" is no name`:               {States: []State{{Name: " a"}}},
		"both terminal and eligible":    {States: []State{{Name: "a", Terminal: true, Eligible: true}}},
		`did you mean "number"?`:        {States: one, Fields: []Field{{Name: "f", Type: "nmber"}}},
		`field "f" is there twice`:      {States: one, Fields: []Field{{Name: "f", Type: FieldText}, {Name: "f", Type: FieldText}}},
		"field f is an enum without":    {States: one, Fields: []Field{{Name: "f", Type: FieldEnum}}},
		"value of field f":              {States: one, Fields: []Field{{Name: "f", Type: FieldEnum, EnumValues: []string{"x", "x"}}}},
		"default of invalid: field f:":  {States: one, Fields: []Field{{Name: "f", Type: FieldBool, Default: "maybe"}}},
		`view "v" is there twice`:       {States: one, Views: []View{{Name: "v"}, {Name: "v"}}},
		"view v: invalid: unknown sort": {States: one, Views: []View{{Name: "v", Sort: "size"}}},
	} {
		if err := s.Validate(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %s", err, want)
		}
	}
}

func TestSetSchemaCountsTheCardsInTheWay(t *testing.T) {
	r := Rules{Schema: columns("a b c")}
	_, err := r.SetSchema(columns("a c"), map[string]int{"a": 1, "b": 3})
	if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "state b cannot go while it holds 3 cards") {
		t.Errorf("error %v", err)
	}
	c, err := r.SetSchema(columns("a c"), map[string]int{"a": 1})
	if err != nil || c.Event == nil || !cmp.Equal(c.Schema.StateNames(), []string{"a", "c"}) {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestFieldParse(t *testing.T) {
	enum := []string{"low", "high"}
	for _, c := range []struct{ kind, text, want string }{
		{FieldText, " as it is ", " as it is "},
		{FieldNumber, "3", "3"}, {FieldNumber, " -0.50 ", "-0.50"}, {FieldNumber, "+5", "5"}, {FieldNumber, ".5", "0.5"},
		{FieldNumber, "123456789012345678901", "123456789012345678901"},
		{FieldNumber, "NaN", ""}, {FieldNumber, "inf", ""}, {FieldNumber, "", ""}, {FieldNumber, "3 apples", ""}, {FieldNumber, "1e999", ""},
		{FieldBool, "TRUE", "true"}, {FieldBool, "0", "false"}, {FieldBool, "yes please", ""},
		{FieldDate, "2026-11-30", "2026-11-30"}, {FieldDate, "2026-11-30T09:00:00+01:00", "2026-11-30T09:00:00+01:00"},
		{FieldDate, "30.11.2026", ""}, {FieldDate, "2026-02-30", ""},
		{FieldEnum, "high", "high"}, {FieldEnum, "hihg", ""}, {FieldEnum, "", ""},
	} {
		v, err := Field{Name: "f", Type: c.kind, EnumValues: enum}.Parse(c.text)
		if c.want == "" {
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%s %q is %v, %v", c.kind, c.text, v, err)
			}
			continue
		}
		if err != nil || text(v) != c.want {
			t.Errorf("%s %q is %v, %v; want %s", c.kind, c.text, v, err, c.want)
		}
	}
}

// text is the JSON form of a value without quotes.
func text(v any) string { return strings.Trim(string(must(marshal(v))), `"`) }

func TestFieldValueTakesTypedValues(t *testing.T) {
	for _, c := range []struct {
		kind string
		v    any
		want string
	}{
		{FieldNumber, 3, "3"}, {FieldNumber, int64(4), "4"}, {FieldNumber, 2.5, "2.5"}, {FieldBool, true, "true"},
		{FieldBool, 1, ""}, {FieldNumber, true, ""}, {FieldText, 3, ""}, {FieldText, []any{"a"}, ""}, {FieldText, nil, ""},
	} {
		v, err := Field{Name: "f", Type: c.kind}.Value(c.v)
		if bad := err != nil; bad != (c.want == "") || !bad && text(v) != c.want {
			t.Errorf("%s %v is %v, %v; want %s", c.kind, c.v, v, err, c.want)
		}
	}
}

func TestUnknownNamesSuggestTheNearest(t *testing.T) {
	names := DefaultSchema().StateNames()
	for name, want := range map[string]string{
		"redy": "ready", "Done": "done", "in-progress": "in_progress", "awaiting": "", "reviw": "review", "xyzzy": "", "": "",
	} {
		if got := nearest(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestUnknownNameSuggestsTheOneThatWasMeant(t *testing.T) {
	s := DefaultSchema()
	for slip, want := range map[string]string{
		"dnoe": `did you mean "done"?`, "Redy": `did you mean "ready"?`, "in_progres": `did you mean "in_progress"?`, "ERADY": `did you mean "ready"?`,
	} {
		if err := s.CheckState(slip); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", slip, err, want)
		}
	}
	for _, far := range []string{"x", "closed", "", "enod"} {
		if err := s.CheckState(far); err == nil || strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%s: %v", far, err)
		}
	}
}

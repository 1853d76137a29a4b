package run

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuestionsMayBeSaidInManyShapes(t *testing.T) {
	no := false
	for raw, want := range map[string]Form{
		`"Ship it?"`: {Question: "Ship it?", Fields: []Field{{Name: "answer", Type: "text"}}},
		`{"question":" Ship? ","choices":["yes","no"],"default":"no"}`: {Question: "Ship?",
			Fields: []Field{{Name: "answer", Type: "choice", Choices: []string{"yes", "no"}, Default: "no"}}},
		`{"question":"Q","fields":[{"name":"z","type":"int","default":12345678901234567890},{"name":"a","type":"boolean","default":"yes"}]}`: {
			Question: "Q", Fields: []Field{{Name: "z", Type: "number", Default: json.Number("12345678901234567890")},
				{Name: "a", Type: "bool", Default: true}}},
		`{"fields":{"z":"Last?","a":{"label":"First","required":false}}}`: {
			Fields: []Field{{Name: "z", Label: "Last?", Type: "text"}, {Name: "a", Label: "First", Type: "text", Required: &no}}},
		`{"z":"Last?","a":{"type":"date","default":"2026-11-30"}}`: {
			Fields: []Field{{Name: "z", Label: "Last?", Type: "text"}, {Name: "a", Type: "date", Default: "2026-11-30"}}},
		// All of these are fields, however much they look like a form.
		`{"question":{"type":"number"}}`: {Fields: []Field{{Name: "question", Type: "number"}}},
		`{"question":"Which?","branch":"Branch?"}`: {Fields: []Field{
			{Name: "question", Label: "Which?", Type: "text"}, {Name: "branch", Label: "Branch?", Type: "text"}}},
		`{"label":"Label?","default":"Default?"}`: {Fields: []Field{
			{Name: "label", Label: "Label?", Type: "text"}, {Name: "default", Label: "Default?", Type: "text"}}},
		// And a question is not lost over a type that nobody knows.
		`{"mail":{"type":"email"},"n":{"type":"number","choices":[1,2]},"c":{"type":"choice"}}`: {Fields: []Field{
			{Name: "mail", Type: "text"}, {Name: "n", Type: "choice", Choices: []string{"1", "2"}}, {Name: "c", Type: "text"}}},
	} {
		got, err := ParseForm(json.RawMessage(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
}

func TestQuestionsThatNobodyCouldAnswerAreRefused(t *testing.T) {
	for raw, why := range map[string]string{
		``:                       "there are none",
		`null`:                   "want a text",
		`["a"]`:                  "want a text",
		`""`:                     "nothing is asked",
		`{}`:                     "nothing is asked",
		`{"fields":[]}`:          "nothing is asked",
		`{"a":`:                  "",
		`{"a":"x"} {"b":"y"}`:    "behind their end",
		`{" ":"x"}`:              "field 1 has no name",
		`{"a":"x"," a":"y"}`:     `two fields are named "a"`,
		`{"a":7}`:                `field "a"`,
		`{"fields":["a"]}`:       "no name",
		`{"a":{"required":"x"}}`: `field "a"`,
		`{"n":{"type":"number","default":"many"}}`:            `field "n": its default many does not fit: want a number`,
		`{"c":{"choices":["a","b"],"default":"c"}}`:           "want one of a, b",
		`{"fields":[{"name":"d","type":"date","default":1}]}`: "want a date",
	} {
		if form, err := ParseForm(json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %+v, %v; want an error with %q", raw, form, err, why)
		}
	}
}

func form(t *testing.T, raw string) Form {
	t.Helper()
	f, err := ParseForm(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const everyType = `{"why":"Why?","depth":{"type":"number","default":2},"ship":{"type":"bool"},
	"env":{"choices":["dev","Prod"]},"on":{"type":"date","required":false},"note":{"required":false}}`

func TestAnswersAreTypedAndDefaultsFilled(t *testing.T) {
	f := form(t, everyType)
	for name, c := range map[string]struct{ in, want map[string]any }{
		"as typed on a command line": {
			map[string]any{"why": "so", "depth": "007", "ship": "Yes", "env": " prod", "on": "2026-02-28", "note": "n"},
			map[string]any{"why": "so", "depth": json.Number("7"), "ship": true, "env": "Prod", "on": "2026-02-28", "note": "n"},
		},
		"as JSON": {
			map[string]any{"why": "so", "depth": 1.5, "ship": false, "env": "dev", "on": "2026-02-28T01:02:03+02:00"},
			map[string]any{"why": "so", "depth": json.Number("1.5"), "ship": false, "env": "dev", "on": "2026-02-28T01:02:03+02:00"},
		},
		"left out, null and blank": {
			map[string]any{"why": "so", "depth": nil, "ship": true, "env": "dev", "on": "  ", "note": ""},
			map[string]any{"why": "so", "depth": json.Number("2"), "ship": true, "env": "dev", "note": ""},
		},
	} {
		got, err := f.Fit(c.in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestEveryProblemOfAnAnswerIsNamed(t *testing.T) {
	_, err := form(t, everyType).Fit(map[string]any{
		"depth": "NaN", "ship": "maybe", "env": "test", "on": "2026-02-30", "note": 7, "colour": "red",
	})
	want := &AnswerError{Problems: []Problem{
		{"why", "an answer is missing: want a text"},
		{"depth", "want a number"},
		{"ship", "want yes or no"},
		{"env", "want one of dev, Prod"},
		{"on", "want a date such as 2026-11-30, or an instant such as 2026-11-30T09:00:00Z"},
		{"note", "want a text"},
		{"colour", "this is not asked; asked is why, depth, ship, env, on, note"},
	}}
	var got *AnswerError
	if !errors.As(err, &got) {
		t.Fatalf("%v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, v := range []any{true, "1e999", "inf", "0x", "", nil, []any{}, map[string]any{}} {
		if got, why := (Field{Name: "n", Type: FieldNumber}).Fit(v); why == "" {
			t.Errorf("%v passed for a number: %v", v, got)
		}
	}
}

func TestChoicesThatDifferInCaseAloneMustBeWrittenOut(t *testing.T) {
	f := Field{Name: "c", Type: FieldChoice, Choices: []string{"a", "A", "b"}}
	if got, why := f.Fit("A"); got != "A" || why != "" {
		t.Errorf("%v, %s", got, why)
	}
	if got, why := f.Fit(" A"); why == "" {
		t.Errorf("guessed %v", got)
	}
}

// FuzzParseForm: what is read can be stored and read again, the same.
func FuzzParseForm(f *testing.F) {
	for _, seed := range []string{`"Q"`, everyType, `{"question":"Q","fields":[{"name":"a","choices":[1,"x"],"default":1}]}`, `{"fields":{}}`, `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		form, err := ParseForm(raw)
		if err != nil {
			return
		}
		if len(form.Fields) == 0 {
			t.Fatalf("a form that asks nothing: %s", raw)
		}
		stored, err := json.Marshal(form)
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		again, err := ParseForm(stored)
		if diff := cmp.Diff(form, again); err != nil || diff != "" {
			t.Fatalf("%s read again: %v\n%s", stored, err, diff)
		}
		var decoded Form
		err = json.Unmarshal(stored, &decoded)
		if diff := cmp.Diff(form, decoded); err != nil || diff != "" {
			t.Fatalf("%s decoded: %v\n%s", stored, err, diff)
		}
	})
}

// FuzzFit: answers that fit are answers that fit again, the same, also after they
// were stored.
func FuzzFit(f *testing.F) {
	f.Add([]byte(everyType), []byte(`{"why":"so","ship":"no","env":"dev"}`))
	f.Add([]byte(`"Q"`), []byte(`{"answer":""}`))
	f.Add([]byte(`{"n":{"type":"number","required":false}}`), []byte(`{"n":"0x1p4"}`))
	f.Add([]byte(`{"d":{"type":"date"}}`), []byte(`{"d":"2026-11-30T09:00:00.5Z"}`))
	f.Fuzz(func(t *testing.T, raw, values []byte) {
		form, err := ParseForm(raw)
		var in map[string]any
		if err != nil || json.Unmarshal(values, &in) != nil {
			return
		}
		fitted, err := form.Fit(in)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("refused without a word")
			}
			return
		}
		stored, err := json.Marshal(fitted)
		if err != nil {
			t.Fatalf("fitted but not written: %v", err)
		}
		back := map[string]any{}
		exact := json.NewDecoder(strings.NewReader(string(stored)))
		exact.UseNumber()
		if err := exact.Decode(&back); err != nil {
			t.Fatal(err)
		}
		again, err := form.Fit(back)
		if diff := cmp.Diff(fitted, again); err != nil || diff != "" {
			t.Fatalf("%s fitted again: %v\n%s", stored, err, diff)
		}
	})
}

func TestOddChoicesAreToldApart(t *testing.T) {
	form, err := ParseForm([]byte(`{"question":"?","choices":["dev","a, b","two\nlines","\u001b[31mred",""," "," x"]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `want one of dev, "a, b", "two\nlines", "\x1b[31mred", " x"`
	if got := form.Fields[0].Want(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if form, err = ParseForm([]byte(`{"question":"?","choices":["",""]}`)); err != nil || form.Fields[0].Type != FieldText {
		t.Errorf("blank choices alone: %+v, %v", form, err)
	}
}

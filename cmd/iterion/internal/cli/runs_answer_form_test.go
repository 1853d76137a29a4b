package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/native/run"
)

const deployForm = `{"question":"Ship it?","fields":[
	{"name":"env","label":"Where to?","choices":["dev","prod","7"],"default":"dev"},
	{"name":"depth","type":"number"},
	{"name":"sure","type":"bool"},
	{"name":"note","required":false}]}`

// fill answers a form on a terminal that types these lines.
func fill(t *testing.T, ctx context.Context, form string, in io.Reader) (map[string]any, string, error) {
	t.Helper()
	questions, err := run.ParseForm(json.RawMessage(form))
	if err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	f := NewFactory(&Streams{In: in, Out: io.Discard, Err: &screen, InTTY: true, ErrTTY: true}, Hooks{})
	asked := run.Interaction{ID: "q", RunID: "0123456789abcdef", Questions: questions}
	values, err := f.askPerson(ctx, asked)
	return values, screen.String(), err
}

func typing(lines ...string) io.Reader {
	return strings.NewReader(strings.Join(append(lines, ""), "\n"))
}

func TestAFormIsFilledLineByLine(t *testing.T) {
	for name, c := range map[string]struct {
		lines  []string
		want   map[string]any
		screen []string
	}{
		"defaults and what may be left out": {
			[]string{"", "3", "y", "", ""},
			map[string]any{"env": "dev", "depth": json.Number("3"), "sure": true},
			[]string{"Ship it?", "1/4  Where to? (one of dev, prod, 7; default dev)", "  2) prod", "env [dev]: ",
				"4/4  note (text; may be left out)", "  note = (left out)", "Send these answers? [Y/n] "},
		},
		"a choice by its number": {
			[]string{"2", "3", "no", "so", "yes"},
			map[string]any{"env": "prod", "depth": json.Number("3"), "sure": false, "note": "so"}, nil,
		},
		"a choice that is a number is itself": {
			[]string{"7", "3", "no", "so", "y\r"},
			map[string]any{"env": "7", "depth": json.Number("3"), "sure": false, "note": "so"}, nil,
		},
		"until it fits": {
			[]string{"test", "PROD", "", "deep", "-2.5", "maybe", "off", "", "what?", "y"},
			map[string]any{"env": "prod", "depth": json.Number("-2.5"), "sure": false},
			[]string{"  want one of dev, prod, 7", "  an answer is missing: want a number", "  want a number", "  want yes or no"},
		},
	} {
		values, screen, err := fill(t, t.Context(), deployForm, typing(c.lines...))
		if err != nil {
			t.Errorf("%s: %v on\n%s", name, err, screen)
			continue
		}
		if diff := cmp.Diff(c.want, values); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, want := range c.screen {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: the screen shows no %q:\n%s", name, want, screen)
			}
		}
	}
}

func TestAFormThatIsLeftGivesNoAnswers(t *testing.T) {
	for name, in := range map[string]io.Reader{
		"a no at the end":          typing("", "3", "y", "", "n"),
		"the input ends":           typing("", "3"),
		"the input is empty":       typing(),
		"the input ends at the no": typing("", "3", "y", ""),
	} {
		values, screen, err := fill(t, t.Context(), deployForm, in)
		if code, _ := Exit(err); code != ExitFailed || !strings.Contains(err.Error(), "nothing was stored") {
			t.Errorf("%s: %v, %v on\n%s", name, values, err, screen)
		}
	}
}

func TestAnInterruptLeavesAFormAtOnce(t *testing.T) {
	typed, keyboard := io.Pipe()
	defer keyboard.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		_, _ = io.WriteString(keyboard, "prod\n") // the second question waits for good
		interrupt()
	}()
	if _, _, err := fill(t, ctx, deployForm, typed); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestAFormShowsWhatWouldDriveTheTerminal(t *testing.T) {
	_, screen, err := fill(t, t.Context(), `{"question":"\u001b[2JQ","fields":[{"name":"a","label":"\u0007L"}]}`, typing("\x1b[31m", "y"))
	if err != nil || strings.ContainsAny(screen, "\x1b\x07") {
		t.Errorf("%v, %q", err, screen)
	}
}

func TestAnAnswerThatWasGivenAlreadyIsTold(t *testing.T) {
	var screen bytes.Buffer
	f := NewFactory(&Streams{In: typing("x", "y"), Out: io.Discard, Err: &screen, InTTY: true, ErrTTY: true}, Hooks{})
	in := run.Interaction{RunID: "0123456789", Questions: run.Form{Fields: []run.Field{{Name: "a"}}}, AnsweredBy: "bob", AnsweredAt: time.Now()}
	if _, err := f.askPerson(t.Context(), in); err != nil || !strings.Contains(screen.String(), "answered by bob already") {
		t.Errorf("%v: %s", err, screen.String())
	}
}

// A run that asks twice is answered twice at one sitting.
func TestASecondFormGetsTheLinesAfterTheFirst(t *testing.T) {
	typed, keyboard := io.Pipe()
	defer keyboard.Close()
	f := NewFactory(&Streams{In: typed, Out: io.Discard, Err: io.Discard, InTTY: true, ErrTTY: true}, Hooks{})
	in := run.Interaction{RunID: "0123456789", Questions: run.Form{Fields: []run.Field{{Name: "a"}}}}
	for _, want := range []string{"first", "second", "third"} {
		go func() { _, _ = io.WriteString(keyboard, want+"\ny\n") }()
		got, err := f.askPerson(t.Context(), in)
		if err != nil || got["a"] != want {
			t.Fatalf("%v, %v; want %s", got, err, want)
		}
	}
}

func TestHowToAnswerIsALineForTheShell(t *testing.T) {
	for form, want := range map[string]string{
		deployForm: "answer with `iterion runs answer 23456789 depth=1 sure=yes`",
		`"Why?"`:   "answer with `iterion runs answer 23456789 answer=…`",
		`{"c":{"choices":["it's one","b"]},"on it":{"type":"date"}}`: `answer with ` + "`" + `iterion runs answer 23456789 'c=it'\''s one' 'on it=2026-11-30'` + "`",
	} {
		questions, err := run.ParseForm(json.RawMessage(form))
		if err != nil {
			t.Fatal(err)
		}
		if got := answerUsage(run.Interaction{RunID: "0123456789", Questions: questions}); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

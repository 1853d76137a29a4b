package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"iterion/native/run"
)

// questionnaire asks a person on a terminal for the answers to a form, line by
// line. Nothing is stored before the last line.
type questionnaire struct {
	f     *Factory
	in    run.Interaction
	typed *typist
}

func newQuestionnaire(f *Factory, in run.Interaction) *questionnaire {
	if f.typed == nil {
		f.typed = newTypist(f.IO.In)
	}
	return &questionnaire{f: f, in: in, typed: f.typed}
}

// typist reads what is typed, a line when one is wanted. There is one for all forms
// of a command: a second one would lose a line to the first.
type typist struct {
	in     io.Reader
	wanted chan struct{}
	lines  chan string // closed at the end of the input
}

func newTypist(in io.Reader) *typist {
	t := &typist{in: in, wanted: make(chan struct{}, 1), lines: make(chan string)}
	go t.read()
	return t
}

// read waits for a line that may never come, until the program ends.
func (t *typist) read() {
	defer close(t.lines)
	r := bufio.NewReader(t.in)
	for range t.wanted {
		line, err := r.ReadString('\n')
		if line != "" {
			t.lines <- strings.TrimRight(line, "\r\n")
		}
		if err != nil {
			return
		}
	}
}

// line returns the next line; ok is false at the end of the input.
func (t *typist) line(ctx context.Context) (text string, ok bool, err error) {
	select {
	case t.wanted <- struct{}{}:
	default: // the one that was wanted before has not come yet
	}
	select {
	case <-ctx.Done():
		return "", false, ctx.Err()
	case text, ok = <-t.lines:
		return text, ok, nil
	}
}

// forget throws away what was typed before anything was asked: it answers nothing.
func (t *typist) forget() {
	if terminal, ok := t.in.(*os.File); ok {
		flushTyped(terminal)
	}
}

func (q *questionnaire) ask(ctx context.Context) (map[string]any, error) {
	form := q.in.Questions
	q.typed.forget()
	q.say("run %s asks; ctrl-c leaves everything as it was\n", run.Short(q.in.RunID))
	if q.in.Answered() {
		q.say("answered by %s already: your answers replace those\n", q.in.AnsweredBy)
	}
	if form.Question != "" {
		q.say("\n%s\n", form.Question)
	}
	values := map[string]any{}
	for i, field := range form.Fields {
		value, err := q.field(ctx, field, fmt.Sprintf("%d/%d", i+1, len(form.Fields)))
		if err != nil {
			return nil, err
		}
		if value != nil {
			values[field.Name] = value
		}
	}
	return values, q.confirm(ctx, values)
}

// field asks for one answer until it fits.
func (q *questionnaire) field(ctx context.Context, field run.Field, place string) (any, error) {
	q.say("\n%s  %s (%s)\n", place, field.Title(), fieldKind(field))
	for i, choice := range field.Choices {
		q.say("  %d) %s\n", i+1, choice)
	}
	for {
		q.say("%s", prompt(field))
		text, err := q.line(ctx)
		if err != nil {
			return nil, err
		}
		value, why := field.Fit(typedIn(field, text))
		if why == "" {
			return value, nil
		}
		q.say("  %s\n", why)
	}
}

func prompt(field run.Field) string {
	if field.Default != nil {
		return fmt.Sprintf("%s [%v]: ", field.Name, field.Default)
	}
	return field.Name + ": "
}

// typedIn is what a line means: a blank one leaves the field out, and a choice may
// be given by its number.
func typedIn(field run.Field, text string) any {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err == nil && n >= 1 && n <= len(field.Choices) && !slices.Contains(field.Choices, strings.TrimSpace(text)) {
		return field.Choices[n-1]
	}
	return text
}

// confirm shows what would be stored; anything but a yes stores nothing.
func (q *questionnaire) confirm(ctx context.Context, values map[string]any) error {
	q.say("\n")
	for _, field := range q.in.Questions.Fields {
		shown := "(left out)"
		if value, ok := values[field.Name]; ok {
			shown = fmt.Sprint(value)
		}
		q.say("  %s = %s\n", field.Name, shown)
	}
	for {
		q.say("Send these answers? [Y/n] ")
		text, err := q.line(ctx)
		if err != nil {
			return err
		}
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "", "y", "yes":
			return nil
		case "n", "no":
			return &ExitError{Code: ExitFailed, Err: errors.New("nothing was stored: the run goes on waiting")}
		}
	}
}

func (q *questionnaire) line(ctx context.Context) (string, error) {
	text, ok, err := q.typed.line(ctx)
	if err == nil && !ok {
		err = &ExitError{Code: ExitFailed, Err: errors.New("the input ended before the last answer: nothing was stored")}
	}
	if err != nil {
		q.say("\n")
	}
	return text, err
}

func (q *questionnaire) say(format string, args ...any) {
	fmt.Fprint(q.f.IO.Err, visibleText(fmt.Sprintf(format, args...)))
}

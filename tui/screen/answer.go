package screen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/native/run"
	"iterion/tui/kit"
)

// QuestionFetched brings what a run asks.
type QuestionFetched struct{ asked run.Interaction }

// QuestionOf is the message that brings a question.
func QuestionOf(in run.Interaction) QuestionFetched { return QuestionFetched{in} }

// AskAnswer opens the form of what a run asks once it was read.
func (e *Env) AskAnswer(r *run.Record) tea.Cmd {
	if r == nil || r.Status != run.PausedHuman {
		e.Say(kit.MarkQuiet, "this run asks nothing")
		return nil
	}
	if !e.May() {
		return nil
	}
	if f := e.Drafts["answer "+r.ID]; f != nil && !f.Blank() {
		e.Open(f)
		return nil
	}
	id := r.ID
	return e.Fetch(func(ctx context.Context, src Source) tea.Msg {
		in, err := src.Question(ctx, id)
		if err != nil {
			return Done{Err: err}
		}
		return QuestionFetched{in}
	})
}

// OpenAnswer opens the form of a question that was read.
func (e *Env) OpenAnswer(m QuestionFetched) {
	a := answering{run: m.asked.RunID, fields: m.asked.Questions.Fields, by: e.By}
	key := "answer " + a.run
	var fields []*kit.Field
	for _, fd := range a.fields {
		fields = append(fields, fieldOf(fd))
	}
	f := kit.NewForm("Run "+kit.ShortRun(a.run)+" asks", func(f *kit.Form) (tea.Cmd, string) {
		values, problem := a.values(f)
		if problem != "" {
			return nil, problem
		}
		delete(e.Drafts, key)
		return e.DoDraft(key, f, func(ctx context.Context, src Source) (string, error) {
			_, err := src.AnswerRun(ctx, a.run, control.Answer{Values: values, By: a.by})
			return "answered; run " + kit.ShortRun(a.run) + " goes on as soon as it can", err
		}), ""
	}, fields...)
	f.Kept = true
	if q := strings.TrimSpace(m.asked.Questions.Question); q != "" {
		f.Intro = strings.Join(kit.Lines(kit.Head(q, questionMax)), "\n")
	}
	e.Drafts[key] = f
	e.Open(f)
}

// questionMax is how many bytes of a question are shown above its form.
const questionMax = 4 << 10

// answering is the form of a question.
type answering struct {
	run    string
	fields []run.Field
	by     string
}

// fieldOf is how a field of a bot's question is edited here.
func fieldOf(fd run.Field) *kit.Field {
	f := &kit.Field{Name: kit.Line(fd.Title()), Text: defaultOf(fd), Hint: hintOf(fd)}
	if fd.Must() {
		f.Name += " *"
	}
	choices := fd.Choices
	if fd.Type == run.FieldBool {
		choices = []string{"yes", "no"}
	}
	if len(choices) == 0 {
		return f
	}
	f.Kind = kit.FieldChoice
	switch {
	case !fd.Must():
		f.Items = append(f.Items, kit.Item{Name: noAnswer})
	case fd.Default == nil: // nobody answers by leaving things as they are
		f.Items = append(f.Items, kit.Item{Name: notChosen})
	}
	for _, c := range choices {
		f.Items = append(f.Items, kit.Item{Name: kit.Line(c)})
	}
	f.At = max(0, slices.IndexFunc(f.Items, func(it kit.Item) bool { return it.Name == f.Text }))
	return f
}

// hintOf says what goes into a field.
func hintOf(fd run.Field) string {
	hint := kit.Line(strings.TrimPrefix(fd.Want(), "want "))
	if !fd.Must() {
		hint += " (optional)"
	}
	return hint
}

const (
	noAnswer  = "(no answer)" // leaves an optional field out
	notChosen = "(choose)"    // is no answer yet
)

func defaultOf(fd run.Field) string {
	switch v := fd.Default.(type) {
	case nil:
		return ""
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	return fmt.Sprint(fd.Default)
}

// values are the answers in the form, checked as the daemon will check them.
func (a answering) values(f *kit.Form) (map[string]any, string) {
	values := map[string]any{}
	for i, fd := range a.fields {
		var value any = f.Fields[i].Value()
		switch {
		case f.Fields[i].Kind == kit.FieldChoice && f.Fields[i].At == 0 && value == noAnswer:
			continue
		case f.Fields[i].Kind == kit.FieldChoice && f.Fields[i].At == 0 && value == notChosen:
			return nil, kit.Line(fd.Title()) + ": choose one"
		case fd.Type == run.FieldBool:
			value = value == "yes"
		case f.Fields[i].Kind == kit.FieldChoice:
			value = fd.Choices[f.Fields[i].At-(len(f.Fields[i].Items)-len(fd.Choices))]
		case value == "" && fd.Default == nil && !fd.Must():
			continue
		}
		if _, why := fd.Fit(value); why != "" {
			return nil, kit.Line(strings.TrimSpace(fd.Title() + ": " + why))
		}
		values[fd.Name] = value
	}
	return values, ""
}

// PauseOrResume pauses a run that works, or lets one that was stopped go on.
func (e *Env) PauseOrResume(r *run.Record) tea.Cmd {
	if r == nil || !e.May() {
		return nil
	}
	id, by := r.ID, control.By{By: e.By}
	switch {
	case r.Status == run.Queued || r.Status == run.Running:
		return e.Do(func(ctx context.Context, src Source) (string, error) {
			_, err := src.PauseRun(ctx, id, by)
			return "run " + kit.ShortRun(id) + " is being paused", err
		})
	case r.Status == run.PausedHuman:
		return e.AskAnswer(r)
	case r.Status == run.PausedOperator || r.Status == run.FailedResumable:
		return e.Do(func(ctx context.Context, src Source) (string, error) {
			_, err := src.ResumeRun(ctx, id, by)
			return "run " + kit.ShortRun(id) + " goes on as soon as it can", err
		})
	}
	e.Say(kit.MarkQuiet, "this run has ended")
	return nil
}

package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"iterion/native/run"
)

type reportAskOptions struct {
	question string
	fields   []string
	choices  []string
}

func newReportAsk(f *Factory) *cobra.Command {
	var o reportAskOptions
	c := &cobra.Command{
		Use: "ask --question TEXT", Short: "Ask a person, who answers when the bot has ended", Args: exactly(),
		Long: "Ask a person something. The bot does not wait: it says what it needs to know and exits with 0.\n" +
			"The run is paused then, and when somebody has answered it starts again with ITERION_RESUME=1\n" +
			"and ITERION_ANSWERS, the path of a JSON object with the answers by their names.\n\n" +
			"Without --field there is one answer, named \"" + run.AnswerField + "\". A field is NAME[:TYPE][=DEFAULT]; the types\n" +
			"are " + strings.Join(run.FieldTypes(), ", ") + ", or the choices themselves, as in env:dev|prod. A field with\n" +
			"a default need not be answered, and neither need one whose type ends in a question mark.",
		Example: "  iterion report ask --question 'Ship it?' --choices yes,no; exit 0\n" +
			"  iterion report ask --question 'How?' --field 'env:dev|prod=dev' --field 'depth:number=2' --field 'note:text?'\n" +
			"\n" +
			"  # in the bot's script: the second start has the answer\n" +
			"  if [ \"$ITERION_RESUME\" = 1 ]; then grep yes \"$ITERION_ANSWERS\" && ship; exit; fi",
		RunE: func(*cobra.Command, []string) error { return runReportAsk(f, o) },
	}
	fl := c.Flags()
	fl.StringVar(&o.question, "question", "", "what the person is asked")
	fl.StringArrayVar(&o.fields, "field", nil, "ask for `name:type=default`, repeatable, in this order")
	fl.StringSliceVar(&o.choices, "choices", nil, "the answer is one of `a,b`; with --field, that of the field of type choice")
	return c
}

// runReportAsk reads the form just as the supervisor will: a question that it
// would refuse is refused here, where the bot's author sees it.
func runReportAsk(f *Factory, o reportAskOptions) error {
	questions, err := o.form()
	if err != nil {
		return err
	}
	raw, err := json.Marshal(questions)
	if err != nil {
		return fmt.Errorf("report ask: %w", err)
	}
	form, err := run.ParseForm(raw)
	if err != nil {
		return Usagef("report ask: %w", err)
	}
	return f.sayReport(map[string]any{"type": "ask", "questions": form})
}

func (o reportAskOptions) form() (run.Form, error) {
	form := run.Form{Question: strings.TrimSpace(o.question)}
	if form.Question == "" && len(o.fields) == 0 {
		return form, Usagef("report ask: say what is asked: --question 'Ship it?'")
	}
	if len(o.fields) == 0 {
		form.Fields = []run.Field{{Name: run.AnswerField, Choices: o.choices}}
		return form, nil
	}
	for _, text := range o.fields {
		field, err := parseAskField(text)
		if err != nil {
			return form, err
		}
		form.Fields = append(form.Fields, field)
	}
	return form, o.spreadChoices(form.Fields)
}

// parseAskField reads NAME[:TYPE][=DEFAULT].
func parseAskField(text string) (run.Field, error) {
	head, value, hasDefault := strings.Cut(text, "=")
	name, kind, _ := strings.Cut(head, ":")
	field := run.Field{Name: strings.TrimSpace(name)}
	if field.Name == "" {
		return field, Usagef("report ask: --field %q: want NAME, NAME:TYPE or NAME:TYPE=DEFAULT", text)
	}
	if hasDefault {
		field.Default = value
	}
	kind, optional := strings.CutSuffix(strings.TrimSpace(kind), "?")
	if optional {
		field.Required = new(bool)
	}
	switch {
	case strings.Contains(kind, "|"):
		field.Choices = strings.Split(kind, "|")
	case kind == "" || slices.Contains(run.FieldTypes(), kind):
		field.Type = kind
	default:
		return field, Usagef("report ask: --field %q: unknown type %q%s; the types are %s", text, kind,
			didYouMean(kind, run.FieldTypes()), strings.Join(run.FieldTypes(), ", "))
	}
	return field, nil
}

// spreadChoices gives --choices to the field that they are for.
func (o reportAskOptions) spreadChoices(fields []run.Field) error {
	var open []*run.Field
	for i := range fields {
		if fields[i].Type == run.FieldChoice {
			open = append(open, &fields[i])
		}
	}
	switch {
	case len(open) == 0 && len(o.choices) == 0:
		return nil
	case len(open) == 1 && len(o.choices) > 0:
		open[0].Choices = o.choices
		return nil
	case len(o.choices) == 0:
		return Usagef("report ask: field %s has no choices: write --field '%[1]s:a|b', or add --choices a,b", open[0].Name)
	}
	return Usagef("report ask: --choices goes with one field of type choice, here are %d: write --field 'name:a|b'", len(open))
}

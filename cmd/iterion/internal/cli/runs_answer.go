package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"iterion/native/run"
)

type runsAnswerOptions struct {
	file     string
	noResume bool
	goOn     goOnOptions
}

func newRunsAnswer(f *Factory) *cobra.Command {
	var o runsAnswerOptions
	c := &cobra.Command{
		Use: "answer RUN [NAME=VALUE…]", Short: "Answer what a run asks, and let it go on",
		Args: atLeastOne("RUN"),
		Long: "Answer what a run's bot asks, and let the run go on. Every answer is checked before any is\n" +
			"stored; what is left out takes its default. Without answers it asks for them, one by one, on a\n" +
			"terminal. A question of one field is answered by a bare word as well. Answers that are given\n" +
			"again before the run has gone on replace the first.\n\n" +
			"The running daemon starts the run as soon as it has a slot; without one it is started here.",
		Example: "  iterion runs answer 3f2a91bc\n" +
			"  iterion runs answer 3f2a91bc yes\n" +
			"  iterion runs answer 3f2a91bc env=prod depth=2 --no-resume\n" +
			"  echo '{\"env\":\"prod\"}' | iterion runs answer 3f2a91bc --json -",
		ValidArgsFunction: f.completeAnswers,
		RunE: func(c *cobra.Command, args []string) error {
			return runRunsAnswer(c.Context(), f, o, args[0], args[1:])
		},
	}
	fl := c.Flags()
	fl.StringVar(&o.file, "answers", "", "JSON `file` with an object of answers; NAME=VALUE goes before it; - is standard input. --json FILE does the same")
	fl.BoolVar(&o.noResume, "no-resume", false, "only store the answers")
	o.goOn.flags(c)
	return c
}

func runRunsAnswer(ctx context.Context, f *Factory, o runsAnswerOptions, ref string, args []string) error {
	if o.noResume && (o.goOn.attend || o.goOn.overCap) {
		return Usagef("runs answer: with --no-resume the run does not go on: leave out --attend and --over-cap")
	}
	runs, id, err := f.findRun(ref)
	if err != nil {
		return err
	}
	rec, err := runs.Get(id)
	if err != nil {
		return err
	}
	in, err := runs.Pending(rec)
	if err != nil {
		return notWaiting(err)
	}
	if !o.noResume {
		if err := canGoOn(runs, rec); err != nil {
			return err
		}
	}
	values, err := o.values(ctx, f, in, args)
	if err != nil {
		return err
	}
	if rec, err = runs.Answer(ctx, id, values, f.Actor()); err != nil {
		return answerTrouble(in, err)
	}
	if in.Answered() {
		f.Talk("these answers replace those of %s", in.AnsweredBy)
	}
	if o.noResume {
		f.Talk("stored; `iterion runs resume %s` lets the run go on", run.Short(id))
		return f.printRun(runs, rec, "answered run")
	}
	if o.goOn.answers, err = in.Questions.Fit(values); err != nil {
		return err
	}
	return f.goOn(ctx, runs, rec, o.goOn, "answered run")
}

// notWaiting adds what can be done with a run that asks nothing.
func notWaiting(err error) error {
	var not *run.NotWaitingError
	if !errors.As(err, &not) {
		return err
	}
	hint := "`iterion runs show " + run.Short(not.ID) + "` tells how it stands"
	if not.Status == run.PausedOperator {
		hint = "`iterion runs resume " + run.Short(not.ID) + "` lets it go on"
	}
	return &ExitError{Code: ExitConflict, Err: err, Hint: hint}
}

// answerTrouble tells every problem on a line of its own.
func answerTrouble(in run.Interaction, err error) error {
	var wrong *run.AnswerError
	if !errors.As(err, &wrong) {
		return notWaiting(err)
	}
	lines := make([]string, len(wrong.Problems))
	for i, p := range wrong.Problems {
		lines[i] = "  " + p.Field + ": " + p.Why
	}
	return &ExitError{Code: ExitUsage, Hint: "nothing was stored; " + answerUsage(in),
		Err: fmt.Errorf("the answers to run %s do not fit:\n%s", run.Short(in.RunID), strings.Join(lines, "\n"))}
}

// values reads the answers from wherever they were given.
func (o runsAnswerOptions) values(ctx context.Context, f *Factory, in run.Interaction, args []string) (map[string]any, error) {
	// The global --json is a switch: what follows it on the line is an argument.
	if f.Global.JSON && o.file == "" && len(args) > 0 && !strings.Contains(args[0], "=") {
		o.file, args = args[0], args[1:]
	}
	values := map[string]any{}
	if o.file != "" {
		if err := f.readAnswers(o.file, &values); err != nil {
			return nil, err
		}
	}
	if o.file == "" && len(args) == 0 {
		return f.askPerson(ctx, in)
	}
	if len(args) == 1 && len(in.Questions.Fields) == 1 && !strings.Contains(args[0], "=") {
		return map[string]any{in.Questions.Fields[0].Name: args[0]}, nil
	}
	return values, typedAnswers(args, values)
}

func (f *Factory) readAnswers(name string, values *map[string]any) error {
	data, err := f.readInput(name)
	if err != nil {
		return Usagef("read the answers: %w", err)
	}
	exact := json.NewDecoder(bytes.NewReader(data))
	exact.UseNumber()
	err = exact.Decode(values)
	if _, rest := exact.Token(); err == nil && !errors.Is(rest, io.EOF) {
		err = errors.New("there is something behind the object")
	}
	if err != nil || *values == nil {
		return Usagef(`read the answers of %s: want one JSON object, such as {"answer":"yes"}: %v`, name, err)
	}
	return nil
}

func typedAnswers(pairs []string, values map[string]any) error {
	typed := map[string]bool{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok || name == "":
			return Usagef("runs answer: %q: want NAME=VALUE", pair)
		case typed[name]:
			return Usagef("runs answer: %s is answered twice", name)
		}
		typed[name], values[name] = true, value
	}
	return nil
}

// askPerson takes the answers from the terminal. Without one it says what is asked.
func (f *Factory) askPerson(ctx context.Context, in run.Interaction) (map[string]any, error) {
	if f.IO.InTTY && f.IO.ErrTTY {
		return newQuestionnaire(f, in).ask(ctx)
	}
	return nil, &ExitError{Code: ExitUsage, Hint: answerUsage(in),
		Err: fmt.Errorf("run %s waits for answers, and there is no terminal to ask for them:\n%s",
			run.Short(in.RunID), indent(questionText(in.Questions)))}
}

// completeAnswers offers runs that wait, and then the names of what they ask.
func (f *Factory) completeAnswers(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	runs, err := f.Runs()
	if err != nil {
		return nil, noFiles
	}
	if len(args) == 0 {
		return f.completeRunsOf(run.PausedHuman)
	}
	id, err := runs.Resolve(args[0])
	if err != nil {
		return nil, noFiles
	}
	rec, err := runs.Get(id)
	if err != nil {
		return nil, noFiles
	}
	in, err := runs.Pending(rec)
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, field := range in.Questions.Fields {
		for _, value := range append([]string{""}, field.Choices...) {
			if word := field.Name + "=" + value; strings.HasPrefix(word, typed) {
				out = append(out, cobra.CompletionWithDesc(word, visibleLine(field.Title())))
			}
		}
	}
	return out, noFiles | cobra.ShellCompDirectiveKeepOrder | cobra.ShellCompDirectiveNoSpace
}

package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"iterion/sched/trigger"
)

type emitOptions struct {
	kind, source, action, repo, state string
	subject, body, issue              string
	vars, args, labels                []string
	key                               string
}

func newTriggerEmit(t *triggers) *cobra.Command {
	var o emitOptions
	c := &cobra.Command{
		Use: "emit --kind KIND", Short: "Say that something happened", Args: exactly(),
		Long: "Say that something happened, so that the subscriptions that wait for it fire. The event is durable\n" +
			"when the command returns, with a daemon or without. --subject is a title, or a JSON object with the\n" +
			"keys of a subject (type, id, url, ref, sha, title, body, state); --issue makes a card the subject,\n" +
			"which a trigger of mode board needs. --vars goes to the bot: name=value, repeatable, or one JSON\n" +
			"object; 1 MiB in all at most.\n\n" +
			"With --key the same event told twice counts once. Inside a run the event belongs to the run's chain,\n" +
			"which is bounded.",
		Example: "  iterion trigger emit --kind deploy.done --vars sha=4f2a1c --vars env=prod\n" +
			"  iterion trigger emit --kind ci.failed --issue 3f2a --key build-1812",
		RunE: func(c *cobra.Command, _ []string) error { return runTriggerEmit(c.Context(), t, o) },
	}
	fl := c.Flags()
	fl.StringVar(&o.kind, "kind", "", "what happened, in a `word` such as deploy.done")
	fl.StringVar(&o.source, "source", string(trigger.SourceCustom), "custom, or manual")
	fl.StringVar(&o.action, "action", "", "what was done, where the kind leaves that open")
	fl.StringVar(&o.subject, "subject", "", "what it is about: a `title`, or a JSON object")
	fl.StringVar(&o.body, "body", "", "the `text` about it")
	fl.StringVar(&o.issue, "issue", "", "it is about the card with this `id`")
	fl.StringVar(&o.state, "state", "", "where the subject stands")
	fl.StringVar(&o.repo, "repo", "", "the `repo` that it happened in")
	fl.StringArrayVar(&o.labels, "label", nil, "a `label` that the subject bears, repeatable")
	fl.StringArrayVar(&o.vars, "vars", nil, "tell the bot `name=value`, repeatable, or a JSON object")
	fl.StringArrayVar(&o.args, "arg", nil, "a `word` for the bot's args, repeatable; goes to args_var where there is no subject")
	fl.StringVar(&o.key, "key", "", "a `name` of yours for this event: told again under it, it is the same event")
	completeFlag(c, "source", fixed("custom", "manual"))
	completeFlag(c, "issue", t.f.completeIDs)
	return c
}

func runTriggerEmit(ctx context.Context, t *triggers, o emitOptions) error {
	if strings.TrimSpace(o.kind) == "" {
		return Usagef("trigger emit: --kind is missing: say what happened, as in --kind deploy.done")
	}
	l, err := t.f.Layout()
	if err != nil {
		return err
	}
	e, err := o.event(ctx, t.f)
	if err != nil {
		return err
	}
	if err := trigger.CheckEmit(e); err != nil {
		return err
	}
	if err := t.f.arm(ctx, l); err != nil {
		return err
	}
	added, err := t.f.inbox(l).Put(ctx, e)
	if err != nil {
		return err
	}
	t.printEmitted(e, added > 0)
	return nil
}

// printEmitted prints the event; its id is the last word.
func (t *triggers) printEmitted(e trigger.Event, fresh bool) {
	verb := "emitted"
	if !fresh {
		verb = "told before:"
	}
	switch {
	case t.f.Global.JSON:
		_ = t.f.PrintJSON(e)
	case t.f.Global.Quiet:
		t.f.Say("%s", e.ID)
	default:
		t.f.Say("%s %s %s", verb, e.Kind, e.ID)
	}
	t.mentionNobody(e)
	t.mentionDaemon("it is looked at")
}

// mentionNobody says that an event will be without effect.
func (t *triggers) mentionNobody(e trigger.Event) {
	set, err := t.set()
	if err != nil {
		t.f.Warn("%v", err)
		return
	}
	for _, s := range set.Listeners() {
		if s.Matches(e) {
			return
		}
	}
	t.f.Talk("no subscription in force wants it; `iterion trigger test --event %s` says why not", e.ID)
}

func (o emitOptions) event(ctx context.Context, f *Factory) (trigger.Event, error) {
	e := trigger.Event{
		Source: trigger.Source(o.source), Kind: o.kind, Action: o.action, Repo: o.repo, Labels: o.labels,
		Actor: f.Actor(), ByRun: f.Env("ITERION_RUN_ID"), OccurredAt: f.Now().UTC(), Payload: map[string]any{},
	}
	e.Actor = cmp.Or(f.Env("ITERION_BOT"), e.Actor)
	e.ID = trigger.NewEventID(e.Source, o.key)
	if err := o.about(ctx, f, &e); err != nil {
		return e, err
	}
	vars, err := emittedVars(o.vars)
	if err != nil {
		return e, err
	}
	if len(vars) > 0 {
		e.Payload["vars"] = vars
	}
	if len(o.args) > 0 {
		words := make([]any, len(o.args))
		for i, w := range o.args {
			words[i] = w
		}
		e.Payload["args"] = words
	}
	return e, nil
}

// about fills in the subject.
func (o emitOptions) about(ctx context.Context, f *Factory, e *trigger.Event) error {
	if o.issue != "" {
		b, err := f.Board()
		if err != nil {
			return err
		}
		id, err := b.Resolve(ctx, o.issue)
		if err != nil {
			return err
		}
		card, err := b.Get(ctx, id)
		if err != nil {
			return err
		}
		e.Subject = trigger.Subject{Type: "card", ID: card.ID, Title: card.Title, Body: card.Body, State: card.State}
		e.Labels = append(e.Labels, card.Labels...)
	}
	if strings.HasPrefix(strings.TrimSpace(o.subject), "{") {
		if err := oneJSON(o.subject, &e.Subject); err != nil {
			return Usagef("--subject: %w", err)
		}
	} else if o.subject != "" {
		e.Subject.Title = o.subject
	}
	e.Subject.Body = cmp.Or(o.body, e.Subject.Body)
	e.Subject.State = cmp.Or(o.state, e.Subject.State)
	return nil
}

// oneJSON reads one JSON value and nothing else.
func oneJSON(text string, into any) error {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return Usagef("want one JSON object and nothing else")
	}
	return nil
}

func emittedVars(in []string) (map[string]any, error) {
	out := map[string]any{}
	for _, v := range in {
		if strings.HasPrefix(strings.TrimSpace(v), "{") {
			if err := oneJSON(v, &out); err != nil {
				return nil, Usagef("--vars: want a JSON object like {\"sha\": \"4f2a\"}: %w", err)
			}
			continue
		}
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return nil, Usagef("--vars %q: want name=value, or a JSON object", v)
		}
		out[name] = value
	}
	return out, nil
}

package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"iterion/native/run"
	"iterion/sched/trigger"
	"iterion/sched/trigger/local"
)

func newTriggerEffects(t *triggers) *cobra.Command {
	c := group("effects", "What events owe subscriptions, and what became of it",
		newEffectsList(t), newEffectsShow(t), newEffectsRetry(t), newEffectsDrop(t))
	c.Long = "What events owe subscriptions. An effect is pending until the daemon carries it out, claimed while\n" +
		"it does, and then done, or failed: a failed one is kept until you retry or drop it. Done ones are\n" +
		"forgotten after seven days.\n\n" +
		"EFFECT is an id, the beginning of one, an event's id where it owes one effect alone, or the id of the\n" +
		"run."
	return c
}

type effectsListOptions struct {
	states []string
	sub    string
	limit  int
}

func newEffectsList(t *triggers) *cobra.Command {
	var o effectsListOptions
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List effects, newest first", Args: exactly(),
		Long: "List effects, newest first. --json prints one array; none is [] and exit 0.",
		RunE: func(c *cobra.Command, _ []string) error { return runEffectsList(c.Context(), t, o) },
	}
	c.Flags().StringArrayVarP(&o.states, "state", "s", nil, "only in this `state`, repeatable: "+strings.Join(effectStates(), ", "))
	c.Flags().StringVar(&o.sub, "trigger", "", "only of the subscription with this `id`")
	c.Flags().IntVarP(&o.limit, "limit", "n", 0, "at most so many")
	completeFlag(c, "state", fixed(effectStates()...))
	completeFlag(c, "trigger", t.completeSubscriptions)
	return c
}

func effectStates() []string {
	return []string{string(trigger.Pending), string(trigger.Claimed), string(trigger.Done), string(trigger.Failed)}
}

func (t *triggers) outbox() (*local.Outbox, error) {
	l, err := t.f.Layout()
	if err != nil {
		return nil, err
	}
	return t.f.outbox(l), nil
}

func runEffectsList(ctx context.Context, t *triggers, o effectsListOptions) error {
	q := trigger.EffectQuery{SubscriptionID: o.sub, Limit: o.limit}
	if o.limit < 0 {
		return Usagef("--limit %d: want 0 (all) or more", o.limit)
	}
	for _, s := range o.states {
		if !slices.Contains(effectStates(), s) {
			return Usagef("--state: unknown state %q%s", s, didYouMean(s, effectStates()))
		}
		q.States = append(q.States, trigger.EffectState(s))
	}
	box, err := t.outbox()
	if err != nil {
		return err
	}
	list, err := box.List(ctx, q)
	if err != nil {
		return err
	}
	switch {
	case t.f.Global.JSON:
		if list == nil {
			list = []trigger.Effect{}
		}
		return t.f.PrintJSON(list)
	case t.f.Global.Quiet:
		for _, e := range list {
			t.f.Say("%s", e.ID)
		}
		return nil
	case len(list) == 0:
		t.f.Talk("no effects")
		return nil
	}
	t.printEffects(list)
	return nil
}

func (t *triggers) printEffects(list []trigger.Effect) {
	table := Table{Head: []string{"EFFECT", "STATE", "EVENT", "TRIES", "RUN", "MADE", "LAST"}}
	failed := false
	for _, e := range list {
		failed = failed || e.State == trigger.Failed
		table.Row(e.ID, t.effectState(e), e.Event.Kind, strconv.Itoa(e.Attempts), run.Short(e.RunID), instant(e.CreatedAt), orElse(e.Outcome, e.LastError))
	}
	table.Print(t.f)
	if failed {
		t.f.Talk("failed ones stay until `iterion trigger effects retry` or `drop`")
	}
}

// effectState says where an effect stands, and until when it waits.
func (t *triggers) effectState(e trigger.Effect) string {
	wait := e.NotBefore.Sub(t.f.Now()).Round(time.Second)
	switch {
	case e.State == trigger.Pending && e.Held:
		return "held"
	case e.State == trigger.Pending && wait > 0:
		return "pending, in " + roughly(wait)
	}
	return string(e.State)
}

func newEffectsShow(t *triggers) *cobra.Command {
	return &cobra.Command{
		Use: "show EFFECT", Short: "Show an effect and its event", Args: exactly("EFFECT"),
		ValidArgsFunction: t.completeEffects(effectStates()...),
		RunE: func(c *cobra.Command, args []string) error {
			box, err := t.outbox()
			if err != nil {
				return err
			}
			e, err := findEffect(c.Context(), box, args[0])
			if err != nil {
				return err
			}
			if t.f.Global.JSON {
				return t.f.PrintJSON(e)
			}
			t.showEffect(e)
			return nil
		},
	}
}

func (t *triggers) showEffect(e trigger.Effect) {
	by := e.Event.Actor
	if e.Event.ByRun != "" {
		by = strings.TrimSpace(by + " (run " + run.Short(e.Event.ByRun) + ")")
	}
	for _, row := range [][2]string{
		{"effect", e.ID}, {"state", t.effectState(e)}, {"outcome", e.Outcome}, {"last error", e.LastError},
		{"tries", fmt.Sprintf("%d of %d", e.Attempts, trigger.MaxAttempts)}, {"not before", instant(e.NotBefore)},
		{"trigger", e.SubscriptionID}, {"run", e.RunID}, {"made", instant(e.CreatedAt)}, {"changed", instant(e.UpdatedAt)},
		{"event", e.EventID}, {"kind", e.Event.Kind}, {"action", e.Event.Action}, {"source", string(e.Event.Source)},
		{"happened", instant(e.Event.OccurredAt)}, {"by", by}, {"reason", e.Event.Reason},
		{"subject", strings.TrimSpace(e.Event.Subject.Type + " " + e.Event.Subject.ID)}, {"title", oneLine(e.Event.Subject.Title)},
		{"stands in", e.Event.Subject.State}, {"labels", strings.Join(e.Event.Labels, ", ")}, {"depth", depthText(e.Event)},
	} {
		if row[1] != "" {
			t.f.Say("%-12s %s", row[0], row[1])
		}
	}
}

func depthText(e trigger.Event) string {
	if d := trigger.LaunchDepth(e); d > 0 {
		return strconv.Itoa(d) + " launches by runs"
	}
	return ""
}

func newEffectsRetry(t *triggers) *cobra.Command {
	return &cobra.Command{
		Use: "retry EFFECT…", Short: "Try failed effects again, with all their tries before them", Args: atLeastOne("EFFECT"),
		ValidArgsFunction: t.completeEffects(string(trigger.Failed), string(trigger.Pending)),
		RunE: func(c *cobra.Command, args []string) error {
			return t.eachEffect(c.Context(), args, "retried", func(box *local.Outbox, e trigger.Effect) (trigger.Effect, error) {
				return box.Retry(c.Context(), e.ID, t.f.Now().UTC())
			})
		},
	}
}

func newEffectsDrop(t *triggers) *cobra.Command {
	return &cobra.Command{
		Use: "drop EFFECT…", Short: "Call failed or pending effects off", Args: atLeastOne("EFFECT"),
		ValidArgsFunction: t.completeEffects(string(trigger.Failed), string(trigger.Pending)),
		RunE: func(c *cobra.Command, args []string) error {
			return t.eachEffect(c.Context(), args, "dropped", func(box *local.Outbox, e trigger.Effect) (trigger.Effect, error) {
				return e, box.Drop(c.Context(), e.ID)
			})
		},
	}
}

func (t *triggers) eachEffect(ctx context.Context, refs []string, verb string, do func(*local.Outbox, trigger.Effect) (trigger.Effect, error)) error {
	box, err := t.outbox()
	if err != nil {
		return err
	}
	return t.each(refs, func(ref string) (did, error) {
		e, err := findEffect(ctx, box, ref)
		if err == nil {
			e, err = do(box, e)
		}
		return did{verb: verb, id: e.ID, json: e}, err
	})
}

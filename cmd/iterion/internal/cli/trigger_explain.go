package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"iterion/sched/trigger"
)

func newTriggerTest(t *triggers) *cobra.Command {
	var event string
	var all bool
	c := &cobra.Command{
		Use: "test --event EVENT", Short: "Say which subscriptions an event would fire, and why not the others", Args: exactly(),
		Long: "Say which subscriptions an event would fire, and of the others what stands against it, dimension by\n" +
			"dimension. Nothing is fired. EVENT is a file with a JSON object (- is standard input), or what has\n" +
			"been: board:SEQ, an event of `iterion issue events`, run:RUN, what became of a run, or the id that\n" +
			"`iterion trigger emit` printed. --json prints one array of {subscription_id, bot_id, matches, dimensions}.",
		Example: "  iterion trigger test --event board:1041\n" +
			"  echo '{\"kind\": \"deploy.done\"}' | iterion trigger test --event -",
		RunE: func(c *cobra.Command, _ []string) error { return runTriggerTest(c.Context(), t, event, all) },
	}
	c.Flags().StringVar(&event, "event", "", "`event` to test: a file, -, board:SEQ, run:RUN or an id")
	c.Flags().BoolVar(&all, "all", false, "say of each dimension how it stands, also of those that agree")
	return c
}

func runTriggerTest(ctx context.Context, t *triggers, event string, all bool) error {
	if event == "" {
		return Usagef("trigger test: --event is missing: a file, -, board:SEQ, run:RUN or an id")
	}
	set, err := t.set()
	if err != nil {
		return err
	}
	readings, err := t.readings(ctx, event)
	if err != nil {
		return err
	}
	t.mentionProblems(set)
	list := []trigger.Explanation{}
	for _, s := range set.All() {
		list = append(list, explained(readings, s))
	}
	if t.f.Global.JSON {
		return t.f.PrintJSON(list)
	}
	t.printExplanations(list, all)
	return nil
}

// explained judges the reading that the subscription matches, else the first.
func explained(readings []trigger.Event, s trigger.Subscription) trigger.Explanation {
	first := trigger.Explain(readings[0], s)
	for _, e := range readings[1:] {
		if x := trigger.Explain(e, s); x.Matches {
			return x
		}
	}
	return first
}

func (t *triggers) printExplanations(list []trigger.Explanation, all bool) {
	if len(list) == 0 {
		t.f.Talk("no subscriptions yet: iterion trigger add on-ready --bot BOT --on card.moved --state ready")
	}
	for _, x := range list {
		verdict := "no     "
		if x.Matches {
			verdict = "fires  "
		}
		t.f.Say("%s %s (bot %s)", verdict, x.SubscriptionID, x.BotID)
		for _, d := range x.Dimensions {
			switch {
			case !d.OK:
				t.f.Say("          %s: %s", d.Name, d.Why)
			case all:
				t.f.Say("          %s: agrees%s", d.Name, wantText(d))
			}
		}
	}
}

func wantText(d trigger.Dimension) string {
	if len(d.Want) == 0 || d.Want[0] == "" {
		return ""
	}
	return " (" + strings.Join(d.Want, ", ") + ")"
}

// readings returns the event that was named, in its readings.
func (t *triggers) readings(ctx context.Context, event string) ([]trigger.Event, error) {
	if seq, ok := strings.CutPrefix(event, "board:"); ok {
		return t.boardReadings(ctx, seq)
	}
	if e, ok, err := t.toldReading(ctx, event); ok || err != nil {
		return []trigger.Event{e}, err
	}
	if ref, ok := strings.CutPrefix(event, "run:"); ok {
		return t.runReading(event, ref)
	}
	data, err := t.f.readInput(event)
	if err != nil {
		return nil, Usagef("--event: %w", err)
	}
	e := trigger.Event{OccurredAt: t.f.Now().UTC()}
	if err := oneJSON(string(data), &e); err != nil {
		return nil, Usagef("--event %s: want a JSON object like {\"kind\": \"card.moved\", \"subject\": {\"state\": \"ready\"}}: %w", event, err)
	}
	if e.Kind == "" {
		return nil, Usagef("--event %s: the event has no kind", event)
	}
	if e.Source == "" {
		e.Source = sourceOf(e.Kind)
	}
	return []trigger.Event{e}, nil
}

// toldReading looks for an event in the inbox, and in what events owe: the inbox
// forgets what was looked at.
func (t *triggers) toldReading(ctx context.Context, id string) (e trigger.Event, ok bool, err error) {
	source, _, _ := strings.Cut(id, ":")
	byHand := source == string(trigger.SourceCustom) || source == string(trigger.SourceManual)
	if !byHand && source != string(trigger.SourceRun) {
		return e, false, nil
	}
	l, err := t.f.Layout()
	if err != nil {
		return e, false, err
	}
	told, err := t.f.inbox(l).Events(ctx, -1, 0)
	if err != nil {
		return e, false, err
	}
	for _, p := range told {
		if p.Event.ID == id {
			return p.Event, true, nil
		}
	}
	rows, err := t.f.outbox(l).List(ctx, trigger.EffectQuery{})
	if err != nil {
		return e, false, err
	}
	for _, row := range rows {
		if row.EventID == id {
			return row.Event, true, nil
		}
	}
	if byHand {
		err = &ExitError{Code: ExitNotFound, Err: fmt.Errorf("event %s: nobody told of it, or it was long ago", id)}
	}
	return e, false, err
}

// sourceOf guesses the source of an event that does not name it.
func sourceOf(kind string) trigger.Source {
	switch {
	case strings.HasPrefix(kind, "card."):
		return trigger.SourceBoard
	case strings.HasPrefix(kind, "run."):
		return trigger.SourceRun
	}
	return trigger.SourceCustom
}

func (t *triggers) boardReadings(ctx context.Context, text string) ([]trigger.Event, error) {
	seq, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seq < 0 {
		return nil, Usagef("--event board:%s: want the number of an event, as `iterion issue events` shows it", text)
	}
	b, err := t.f.Board()
	if err != nil {
		return nil, err
	}
	found, err := b.Events(ctx, seq-1, 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || found[0].Seq != seq {
		return nil, &ExitError{Code: ExitNotFound, Err: fmt.Errorf("event board:%d: the board's log has none of that number", seq)}
	}
	card, err := b.Get(ctx, found[0].IssueID)
	if err != nil {
		return nil, fmt.Errorf("look at the card of event board:%d: %w", seq, err)
	}
	readings := trigger.FromBoard(found[0], card)
	if len(readings) == 0 {
		return nil, Usagef("event board:%d (%s) tells of nothing that fires: of cards it is creations, moves, labels, updates and comments", seq, found[0].Type)
	}
	return readings, nil
}

// runReading reads a run's last outcome: event is run:RUN or the id of an outcome.
func (t *triggers) runReading(event, ref string) ([]trigger.Event, error) {
	ref, _, exact := strings.Cut(ref, ":")
	runs, id, err := t.f.findRun(ref)
	if err != nil {
		return nil, err
	}
	rec, err := runs.Get(id)
	if err != nil {
		return nil, err
	}
	e, ok := trigger.FromRun(rec)
	if !ok {
		return nil, Conflictf("run %s is %s: nothing has become of it yet", rec.ID, rec.Status)
	}
	if exact && e.ID != event {
		return nil, &ExitError{Code: ExitNotFound, Err: fmt.Errorf("event %s: the run's last outcome is %s", event, e.ID)}
	}
	return []trigger.Event{e}, nil
}

package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"iterion/sched/trigger"
)

func newTriggerRemove(t *triggers) *cobra.Command {
	return &cobra.Command{
		Use: "remove ID…", Aliases: []string{"rm", "delete"}, Short: "Take subscriptions out of triggers.yaml", Args: atLeastOne("ID"),
		Long: "Take subscriptions out of triggers.yaml. Runs of theirs go on; what they are owed and was not carried\n" +
			"out yet ends without effect. Of a subscription that a bot's manifest asks for the row goes, and the\n" +
			"manifest counts again; where there is no row, `iterion trigger disable` keeps it from firing.",
		ValidArgsFunction: t.completeSubscriptions,
		RunE: func(c *cobra.Command, args []string) error {
			return t.each(args, func(id string) (did, error) { return t.remove(c.Context(), id) })
		},
	}
}

// did is what a command has done to one subject.
type did struct {
	verb string // as in "removed trigger"
	id   string
	json any
}

// each does something for every subject that is named and prints what it did: one
// line each, in JSON one object, or one array of several.
func (t *triggers) each(refs []string, do func(ref string) (did, error)) error {
	var failed failures
	list := []any{}
	for _, ref := range refs {
		d, err := do(ref)
		if err != nil {
			failed.add(err)
			continue
		}
		list = append(list, d.json)
		switch {
		case t.f.Global.JSON:
		case t.f.Global.Quiet:
			t.f.Say("%s", d.id)
		default:
			t.f.Say("%s %s", d.verb, d.id)
		}
	}
	var err error
	switch {
	case !t.f.Global.JSON:
	case len(refs) > 1:
		err = t.f.PrintJSON(list)
	case len(list) > 0:
		err = t.f.PrintJSON(list[0])
	}
	return errors.Join(failed.end(t.f, len(refs)), err)
}

func (t *triggers) didTo(s trigger.Subscription, verb string) did {
	return did{verb: verb + " trigger", id: s.ID, json: t.view(s, nextShown)}
}

func (t *triggers) remove(ctx context.Context, id string) (did, error) {
	file, _, err := t.file()
	if err != nil {
		return did{}, err
	}
	set, err := trigger.Load(file.Options)
	if err != nil {
		return did{}, err
	}
	sub, err := set.Get(id)
	if err != nil && !set.HasRow(id) {
		_, err = t.find(set, id)
		return did{}, err
	}
	err = file.Remove(ctx, id)
	if errors.Is(err, trigger.ErrDerived) {
		return did{}, &ExitError{Code: ExitConflict, Err: err, Hint: "`iterion trigger disable " + quoted(id) + "` keeps it from firing"}
	}
	sub.ID = id // also of a row that meant nothing
	return t.didTo(sub, "removed"), err
}

func newTriggerEnable(t *triggers) *cobra.Command {
	return &cobra.Command{
		Use: "enable ID…", Short: "Let subscriptions fire again", Args: atLeastOne("ID"),
		Long:              "Let subscriptions fire again, from now on: what happened meanwhile is not made up for.",
		ValidArgsFunction: t.completeSubscriptions,
		RunE: func(c *cobra.Command, args []string) error {
			return t.each(args, func(id string) (did, error) { return t.turn(c.Context(), id, true) })
		},
	}
}

func newTriggerDisable(t *triggers) *cobra.Command {
	return &cobra.Command{
		Use: "disable ID…", Short: "Keep subscriptions from firing; their runs go on", Args: atLeastOne("ID"),
		Long: "Keep subscriptions from firing; their runs go on. What they are owed and was not carried out yet ends\n" +
			"without effect.",
		ValidArgsFunction: t.completeSubscriptions,
		RunE: func(c *cobra.Command, args []string) error {
			return t.each(args, func(id string) (did, error) { return t.turn(c.Context(), id, false) })
		},
	}
}

func (t *triggers) turn(ctx context.Context, id string, on bool) (did, error) {
	file, l, err := t.file()
	if err != nil {
		return did{}, err
	}
	set, err := trigger.Load(file.Options)
	if err != nil {
		return did{}, err
	}
	sub, err := t.find(set, id)
	if err != nil {
		return did{}, err
	}
	verb := "enabled"
	if !on {
		verb = "disabled"
	}
	if sub.Enabled == on {
		return t.didTo(sub, "already "+verb+":"), nil
	}
	if on {
		if err := t.f.arm(ctx, l); err != nil {
			return did{}, err
		}
	}
	settings := []trigger.Setting{{Key: "enabled", Value: on}, {Key: "updated_at", Value: t.now()}}
	if on {
		settings = append(settings, trigger.Setting{Key: "enabled_at", Value: t.now()})
	}
	sub, err = file.Edit(ctx, id, settings...)
	return t.didTo(sub, verb), err
}

package cli

import (
	"github.com/spf13/cobra"

	"iterion/sched/trigger"
)

func newTriggerList(t *triggers) *cobra.Command {
	var bot string
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the subscriptions", Args: exactly(),
		Long: "List the subscriptions of the store: those that its bots' manifests ask for, by bot, then your\n" +
			"own. `not here` are those for a forge, which a local daemon does not fire. --json prints one\n" +
			"array with the keys of triggers.yaml and {origin, active, when, next, problem, last_error} beside\n" +
			"them; none is [] and exit 0.",
		RunE: func(*cobra.Command, []string) error { return runTriggerList(t, bot) },
	}
	c.Flags().StringVarP(&bot, "bot", "b", "", "only those of this bot")
	completeFlag(c, "bot", t.f.completeBots)
	return c
}

func runTriggerList(t *triggers, bot string) error {
	set, err := t.set()
	if err != nil {
		return err
	}
	if bot != "" {
		bot = t.f.slugOf(bot)
	}
	list := []triggerJSON{}
	for _, s := range set.All() {
		if bot == "" || s.BotID == bot {
			list = append(list, t.view(s, 1))
		}
	}
	t.mentionProblems(set)
	switch {
	case t.f.Global.JSON:
		return t.f.PrintJSON(list)
	case t.f.Global.Quiet:
		for _, v := range list {
			t.f.Say("%s", v.ID)
		}
		return nil
	case len(list) == 0:
		t.f.Talk("no subscriptions yet: iterion trigger add on-ready --bot BOT --on card.moved --state ready")
		return nil
	}
	t.printTable(list)
	return nil
}

func (t *triggers) printTable(list []triggerJSON) {
	table := Table{Head: []string{"ID", "BOT", "KIND", "WHEN", "MODE", "STATE", "LAST ERROR"}}
	for _, v := range list {
		table.Row(v.ID, v.BotID, string(v.Invocation), v.When, string(v.Mode), stateText(v.Subscription), orElse(v.Problem, v.LastError))
	}
	table.Print(t.f)
}

func newTriggerShow(t *triggers) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a subscription", Args: exactly("ID"),
		ValidArgsFunction: t.completeSubscriptions,
		RunE:              func(_ *cobra.Command, args []string) error { return runTriggerShow(t, args[0]) },
	}
}

func runTriggerShow(t *triggers, id string) error {
	set, err := t.set()
	if err != nil {
		return err
	}
	sub, err := t.find(set, id)
	if err != nil {
		return err
	}
	if t.f.Global.JSON {
		return t.f.PrintJSON(t.view(sub, nextShown))
	}
	t.show(sub)
	return nil
}

// originText says where a subscription comes from.
func originText(s trigger.Subscription) string {
	switch {
	case s.Origin == trigger.FromOperator:
		return "triggers.yaml"
	case s.Retuned:
		return "the bot's manifest, changed by triggers.yaml"
	}
	return "the bot's manifest"
}

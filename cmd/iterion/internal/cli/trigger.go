package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"iterion/daemon"
	"iterion/native"
	"iterion/sched/trigger"
	"iterion/sched/trigger/local"
)

// triggers is what all commands on subscriptions share.
type triggers struct{ f *Factory }

func newTrigger(f *Factory) *cobra.Command {
	t := &triggers{f: f}
	c := group("trigger", "Start bots when something happens, or on the daemon's clock",
		newTriggerAdd(t), newTriggerEdit(t), newTriggerRemove(t),
		newTriggerList(t), newTriggerShow(t),
		newTriggerEnable(t), newTriggerDisable(t), newTriggerEnableFrom(t),
		newTriggerEmit(t), newTriggerTest(t), newTriggerEffects(t),
	)
	c.Long = "Start bots when something happens, or on the clock of the store's daemon. A subscription binds\n" +
		"what happens (a card is moved, a run has ended, you say so) or a clock to a bot. The bots in the\n" +
		"store's own bot folders bring theirs along in their manifests; yours are in triggers.yaml, where a\n" +
		"row with the id of a bot's subscription changes that one.\n\n" +
		"What an event owes a subscription is an effect: it is written down before anything is started,\n" +
		"so that nothing is lost or started twice, whatever is killed in between. The daemon carries\n" +
		"effects out; those that cannot be are kept until you retry or drop them."
	c.Example = "  iterion trigger add on-ready --bot tidy --on card.moved --state ready --mode board\n" +
		"  iterion trigger add after-tests --bot deploy --on run.finished --author tests\n" +
		"  iterion trigger add nightly --bot report --cron '30 2 * * *'\n" +
		"  iterion trigger emit --kind deploy.done --vars sha=4f2a1c\n" +
		"  iterion trigger effects list --state failed"
	return c
}

// file edits the store's triggers.yaml.
func (t *triggers) file() (trigger.File, native.Layout, error) {
	l, err := t.f.Layout()
	if err != nil {
		return trigger.File{}, l, err
	}
	reg, err := t.f.Bots()
	if err != nil {
		return trigger.File{}, l, err
	}
	return trigger.File{Options: daemon.TriggerOptions(l, reg), NoFsync: t.f.Global.NoFsync}, l, nil
}

// set reads the store's subscriptions.
func (t *triggers) set() (trigger.Set, error) {
	file, _, err := t.file()
	if err != nil {
		return trigger.Set{}, err
	}
	return trigger.Load(file.Options)
}

// find returns a subscription, or says what may have been meant.
func (t *triggers) find(set trigger.Set, id string) (trigger.Subscription, error) {
	sub, err := set.Get(id)
	if errors.Is(err, trigger.ErrNoSubscription) {
		err = t.unknown(set, id, err)
	}
	return sub, err
}

func (t *triggers) unknown(set trigger.Set, id string, err error) error {
	var ids []string
	for _, s := range set.All() {
		ids = append(ids, s.ID)
	}
	return &ExitError{Code: ExitNotFound, Err: fmt.Errorf("%w%s", err, didYouMean(id, ids)), Hint: "`iterion trigger list` shows them all"}
}

func (f *Factory) outbox(l native.Layout) *local.Outbox {
	return local.OpenOutbox(l.TriggerEffects(), l.TriggerEffectsLog(), local.Options{NoFsync: f.Global.NoFsync, Log: f.Log()})
}

func (f *Factory) inbox(l native.Layout) *local.Inbox {
	return local.OpenInbox(l.TriggerInbox(), local.Options{NoFsync: f.Global.NoFsync, Log: f.Log()})
}

// arm lets everything that happens from now on count, also while no daemon has run
// on the store yet.
func (f *Factory) arm(ctx context.Context, l native.Layout) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	return trigger.Arm(ctx, f.outbox(l), b, f.inbox(l))
}

// completeSubscriptions offers the ids, with what they do beside them.
func (t *triggers) completeSubscriptions(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	set, err := t.set()
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, s := range set.All() {
		out = append(out, cobra.CompletionWithDesc(s.ID, visibleLine(s.BotID+" "+whenText(s))))
	}
	return out, noFiles
}

// mentionProblems warns of what is wrong with subscriptions.
func (t *triggers) mentionProblems(set trigger.Set) {
	for _, p := range set.Problems {
		t.f.Warn("%s", p)
	}
}

// mentionDaemon says that nothing fires while no daemon runs.
func (t *triggers) mentionDaemon(what string) {
	if _, err := t.f.Control(); isNoDaemon(err) {
		t.f.Talk("no daemon is running: %s as soon as one is (`iterion daemon`, `iterion tui`)", what)
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"iterion/sched/trigger"
	"iterion/sched/trigger/local"
)

// findEffect finds the one effect that ref names.
func findEffect(ctx context.Context, box *local.Outbox, ref string) (trigger.Effect, error) {
	e, err := box.Get(ctx, ref)
	if !errors.Is(err, trigger.ErrNoEffect) {
		return e, err
	}
	all, lerr := box.List(ctx, trigger.EffectQuery{})
	if lerr != nil {
		return e, lerr
	}
	var found []trigger.Effect
	for _, e := range all {
		if e.RunID == ref || len(ref) >= 4 && (strings.HasPrefix(e.ID, ref) || strings.HasSuffix(e.RunID, ref)) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return e, &ExitError{Code: ExitNotFound, Err: fmt.Errorf("effect %s: %w", ref, trigger.ErrNoEffect), Hint: "`iterion trigger effects list` shows them"}
	case 1:
		return found[0], nil
	}
	ids := make([]string, 0, 10)
	for _, e := range found[:min(len(found), 10)] {
		ids = append(ids, e.ID)
	}
	return e, Usagef("effect %s is ambiguous, it names %d: %s", ref, len(found), strings.Join(ids, ", "))
}

func (t *triggers) completeEffects(states ...string) completer {
	return func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		box, err := t.outbox()
		if err != nil {
			return nil, noFiles
		}
		q := trigger.EffectQuery{}
		for _, s := range states {
			q.States = append(q.States, trigger.EffectState(s))
		}
		list, err := box.List(c.Context(), q)
		if err != nil {
			return nil, noFiles
		}
		var out []cobra.Completion
		for _, e := range list {
			out = append(out, cobra.CompletionWithDesc(e.ID, visibleLine(string(e.State)+" "+orElse(e.Outcome, e.LastError))))
		}
		return out, noFiles | cobra.ShellCompDirectiveKeepOrder
	}
}

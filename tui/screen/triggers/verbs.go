package triggers

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/sched/trigger"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

func toggle(e *screen.Env, sub trigger.Subscription) tea.Cmd {
	if !e.May() {
		return nil
	}
	id, in := sub.ID, control.SetSchedule{Enabled: !sub.Enabled, By: e.By}
	return e.Do(func(ctx context.Context, src screen.Source) (string, error) {
		_, err := src.SetSubscription(ctx, id, in)
		if in.Enabled {
			return id + " is in force", err
		}
		return id + " is out of force", err
	})
}

func retry(e *screen.Env, ef trigger.Effect) tea.Cmd {
	if ef.State != trigger.Failed && ef.State != trigger.Pending {
		e.Say(kit.MarkQuiet, "only what was given up, or waits, is tried again")
		return nil
	}
	if !e.May() {
		return nil
	}
	by := control.By{By: e.By}
	return e.Do(func(ctx context.Context, src screen.Source) (string, error) {
		_, err := src.RetryEffect(ctx, ef.ID, by)
		return "it is tried again", err
	})
}

// askDrop asks before calling an effect off.
func askDrop(e *screen.Env, ef trigger.Effect) {
	if ef.State != trigger.Failed && ef.State != trigger.Pending {
		e.Say(kit.MarkQuiet, "only what was given up, or waits, can be dropped")
		return
	}
	if !e.May() {
		return
	}
	by := control.By{By: e.By}
	e.Open(&kit.Confirm{
		Ask: "Drop this effect?", Yes: "drop it",
		Facts: []string{kit.Line(aboutOf(ef)), "What the event owes to " + kit.Line(ef.SubscriptionID) + " is called off for good."},
		Do: func() tea.Cmd {
			return e.Do(func(ctx context.Context, src screen.Source) (string, error) {
				_, err := src.DropEffect(ctx, ef.ID, by)
				return "dropped", err
			})
		},
	})
}

// openRun shows the run that an effect has started.
func openRun(e *screen.Env, ef trigger.Effect) {
	if ef.RunID == "" || e.Mirror.Run(ef.RunID) == nil && ef.State != trigger.Done {
		e.Say(kit.MarkQuiet, "it has started no run")
		return
	}
	e.Go(screen.Runs, ef.RunID)
}

// openCard shows the card that the event was about.
func openCard(e *screen.Env, ef trigger.Effect) {
	if ef.Event.Subject.Type != "card" || e.Mirror.Card(ef.Event.Subject.ID) == nil {
		e.Say(kit.MarkQuiet, "the event is about no card that is here")
		return
	}
	e.Go(screen.Card, ef.Event.Subject.ID)
}

// aboutOf says in a line what an event was.
func aboutOf(ef trigger.Effect) string {
	parts := []string{ef.Event.Kind}
	if t := ef.Event.Subject.Title; t != "" {
		parts = append(parts, t)
	} else if id := ef.Event.Subject.ID; id != "" {
		parts = append(parts, id)
	}
	return strings.Join(parts, ": ")
}

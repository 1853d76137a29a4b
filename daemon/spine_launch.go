package daemon

import (
	"context"
	"errors"
	"fmt"

	"iterion/bots/manifest"
	"iterion/native/run"
	"iterion/native/spend"
	"iterion/sched/localrun"
	"iterion/sched/trigger"
)

// Launch makes the run, see trigger.Launcher. One whose bot could not be started is on
// record as failed, and so it was launched.
func (r spineRuns) Launch(ctx context.Context, l trigger.Launch) error {
	sub := l.Subscription
	workdir := sub.Workdir
	if workdir == "" {
		workdir = r.d.project()
	}
	_, err := r.Host.Launch(ctx, localrun.Launch{
		RunID: l.RunID, BotID: sub.BotID, Name: launchName(l), Vars: l.Vars, Workdir: workdir, ChainDepth: l.ChainDepth,
		Source: run.Source{Kind: run.SourceTrigger, SubscriptionID: sub.ID, EventID: l.Event.ID},
		By:     trigger.Actor, Retry: sub.Retry(), Env: eventEnv(l),
	})
	var unstarted *localrun.UnstartedError
	var vars *manifest.VarsError
	var full *spend.CapError
	switch {
	case errors.As(err, &unstarted):
		r.d.log.Warn("a trigger's bot could not be started", "run_id", l.RunID, "subscription_id", sub.ID, "err", err)
		return nil
	case errors.As(err, &vars): // a bot that is broken or missing may be mended
		return fmt.Errorf("%w: %w", trigger.ErrRefused, err)
	case errors.As(err, &full):
		return &trigger.HeldError{Reason: err.Error()}
	}
	return err
}

// eventEnv is what a bot is told of the event that it was launched for.
func eventEnv(l trigger.Launch) map[string]string {
	env := map[string]string{
		"ITERION_TRIGGER":      l.Subscription.ID,
		"ITERION_EVENT_ID":     l.Event.ID,
		"ITERION_EVENT_SOURCE": string(l.Event.Source),
		"ITERION_EVENT_KIND":   l.Event.Kind,
	}
	for name, value := range map[string]string{
		"ITERION_SUBJECT_TYPE": l.Event.Subject.Type, "ITERION_SUBJECT_ID": l.Event.Subject.ID,
		"ITERION_SUBJECT_STATE": l.Event.Subject.State,
	} {
		if value != "" {
			env[name] = value
		}
	}
	return env
}

package dispatch

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"iterion/native/board"
)

// trackerFunc answers for a tracker.
type trackerFunc func(board.Issue) (string, error)

func (f trackerFunc) ChangeRequest(_ context.Context, is board.Issue) (string, error) { return f(is) }

func TestGuard07_TicketRouter(t *testing.T) {
	routed := Router{Enabled: true, ImplementBot: "feature-dev"}
	none := trackerFunc(func(board.Issue) (string, error) { return "", nil })
	t.Run("steps aside for a change request", func(t *testing.T) {
		inBed(t, func(t *testing.T, b *bed) {
			b.cfg.Router = routed
			b.tracker = trackerFunc(func(board.Issue) (string, error) { return "https://forge/pr/7", nil })
			id := b.card()
			named := b.card(func(is *board.Issue) { is.Bot = "hello" })
			l := b.start()
			l.later(time.Minute)
			l.refusedBy(id, "ticket router")
			if is := b.get(id); !slices.Contains(is.Labels, LabelAside) || is.Claim != "" {
				t.Fatalf("labels %v, claim %q", is.Labels, is.Claim)
			}
			b.launches(id, 0)
			b.settledIn(named, board.StateReview)
		})
	})
	for name, tc := range map[string]struct {
		router  Router
		tracker Tracker
		card    func(*board.Issue)
		want    string
	}{
		"no change request":          {routed, none, func(*board.Issue) {}, "feature-dev"},
		"the tracker cannot answer":  {routed, trackerFunc(func(board.Issue) (string, error) { return "", errors.New("503") }), func(*board.Issue) {}, "feature-dev"},
		"there is no tracker":        {routed, nil, func(*board.Issue) {}, "feature-dev"},
		"the card names a bot":       {routed, none, func(is *board.Issue) { is.Bot = "linty" }, "linty"},
		"the card names an assignee": {routed, none, func(is *board.Issue) { is.Assignee = "alice" }, "hello"},
		"off":                        {Router{ImplementBot: "feature-dev"}, none, func(*board.Issue) {}, "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.cfg.Router, b.tracker = tc.router, tc.tracker
				id := b.card(tc.card)
				b.start().later(time.Second)
				b.launches(id, 1)
				if got := b.runs.all()[0].Bot.Slug; got != tc.want {
					t.Fatalf("launched %s, want %s", got, tc.want)
				}
			})
		})
	}
}

func TestGuard08_VarsOfTheAssigneesBotReplaceTheGeneralOnes(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.AssigneeBots = map[string]string{"alice-bot": "feature-dev"}
		b.cfg.DispatchVars = map[string]string{"prompt": "general", "only": "general"}
		b.cfg.AssigneeVars = map[string]map[string]string{"feature-dev": {"prompt": "for {{issue.assignee}}"}}
		b.bots.dispatchVars = map[string]string{"prompt": "manifest", "depth": "1"}
		byAssignee := b.card(func(is *board.Issue) { is.Assignee = "alice-bot" })
		byName := b.card(func(is *board.Issue) { is.Bot = "feature-dev" })
		b.start().later(time.Second)
		got := map[string]map[string]string{}
		for _, l := range b.runs.all() {
			got[l.Issue.ID] = l.Inputs
		}
		if in := got[byAssignee]; in["prompt"] != "for alice-bot" || in["depth"] != "1" || in["only"] != "" {
			t.Errorf("by assignee: %v", in)
		}
		if in := got[byName]; in["prompt"] != "general" || in["only"] != "general" {
			t.Errorf("by name: %v", in)
		}
	})
}

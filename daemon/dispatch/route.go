package dispatch

import (
	"context"
	"slices"

	"iterion/native/board"
)

// Tracker knows the change requests of cards, for the ticket router.
type Tracker interface {
	// ChangeRequest returns where the open change request that is linked to a card
	// can be looked at, or "". An error means that the tracker cannot answer; the
	// card is routed then as if there were none.
	ChangeRequest(ctx context.Context, is board.Issue) (url string, err error)
}

// LabelAside marks a card that the router leaves to the bot that looks after change
// requests.
const LabelAside = "bot:billy"

// Route says which bot a card is given to, and by which way it came to it.
type Route struct {
	Slug     string
	Assignee bool   // through the card's assignee
	Routed   bool   // by the ticket router
	Aside    string // change request that the router steps aside for; Slug is empty then
}

// routeOf is the routing of a card by what it says itself.
func routeOf(cfg Config, is *board.Issue) Route {
	switch {
	case is.Bot != "":
		return Route{Slug: is.Bot}
	case cfg.AssigneeBots[is.Assignee] != "":
		return Route{Slug: cfg.AssigneeBots[is.Assignee], Assignee: true}
	case cfg.Router.Enabled && is.Assignee == "":
		return Route{Slug: cfg.Router.ImplementBot, Routed: true}
	}
	return Route{Slug: cfg.Bot}
}

// askTracker turns a routed card aside when there is a change request for it.
func (r Route) askTracker(ctx context.Context, t Tracker, is board.Issue) Route {
	if !r.Routed || t == nil {
		return r
	}
	if url, err := t.ChangeRequest(ctx, is); err == nil && url != "" {
		return Route{Routed: true, Aside: url}
	}
	return r
}

// varsFor are the inputs that the dispatcher adds to a card's launch.
func (c Config) varsFor(r Route, assignee string) map[string]string {
	if r.Assignee {
		for _, key := range []string{r.Slug, assignee} {
			if vars, ok := c.AssigneeVars[key]; ok {
				return vars
			}
		}
	}
	return c.DispatchVars
}

func routerGuard(f facts) answer {
	switch {
	case f.Route.Aside != "":
		return skip("the ticket router leaves the card to its change request "+f.Route.Aside, "name a bot on the card to have it worked all the same")
	case f.Route.Routed:
		return pass("the ticket router gives the card to " + f.Route.Slug)
	case !f.cfg.Router.Enabled:
		return pass("the ticket router is off")
	}
	return pass("the card names its bot or its assignee")
}

// labelAside marks a card that the router stepped aside for, once.
type labelAside struct{ issueID string }

func (e labelAside) do(ctx context.Context, d *Dispatcher) {
	_, err := d.opts.Board.Update(ctx, e.issueID, board.Patch{AddLabels: []string{LabelAside}}, by(""))
	if err != nil {
		d.log.Warn("label the card", "issue_id", e.issueID, "label", LabelAside, "err", err)
	}
}

// markAside asks for the label of every card that the router steps aside for.
func (s *state) markAside() []effect {
	var fx []effect
	for i := range s.pool {
		if c := &s.pool[i]; c.Route.Aside != "" && c.Issue.Claim == "" && !slices.Contains(c.Issue.Labels, LabelAside) {
			fx = append(fx, labelAside{c.Issue.ID})
		}
	}
	return fx
}

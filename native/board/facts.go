package board

import (
	"slices"
	"strings"
	"time"
)

// Facts are what a Query looks at and sorts by: a card without its long parts.
// A twin that keeps them apart from the cards can choose without decoding. The
// lists are the card's own.
type Facts struct {
	ID, Title, State     string
	Assignee, Bot, Claim string
	Labels, Blockers     []string
	Priority             int
	CreatedAt, UpdatedAt time.Time
	LeaseUntil           time.Time // of the claim; zero for an unclaimed card
}

// Facts returns the card's facts.
func (i *Issue) Facts() Facts {
	f := Facts{
		ID: i.ID, Title: i.Title, State: i.State, Assignee: i.Assignee, Bot: i.Bot, Claim: i.Claim,
		Labels: i.Labels, Blockers: i.Blockers, Priority: i.Priority, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
	}
	if i.Claim != "" {
		f.LeaseUntil = i.ClaimLeaseUntil
	}
	return f
}

// MatchFacts reports whether the query, but for its Search, selects a card with
// these facts.
func (q Query) MatchFacts(f *Facts) bool {
	if q.OrClaim != "" && f.Claim == q.OrClaim {
		return true
	}
	switch {
	case len(q.States) > 0 && !slices.Contains(q.States, f.State),
		q.Assignee != "" && f.Assignee != q.Assignee,
		q.Bot != "" && f.Bot != q.Bot,
		!q.ExpiredBefore.IsZero() && !expired(f.LeaseUntil, q.ExpiredBefore),
		!strings.HasPrefix(f.Claim, q.ClaimPrefix),
		q.Claimed != nil && *q.Claimed != (f.Claim != ""):
		return false
	}
	for _, l := range q.Labels {
		if !slices.Contains(f.Labels, l) {
			return false
		}
	}
	return true
}

// MatchSearch reports whether the card has all words of the query's Search.
func (q Query) MatchSearch(i Issue) bool {
	words := strings.Fields(strings.ToLower(q.Search))
	if len(words) == 0 || q.OrClaim != "" && i.Claim == q.OrClaim {
		return true
	}
	text := strings.ToLower(strings.Join(append([]string{i.ID, i.Title, i.Body}, i.Labels...), "\n"))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

package board

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// replacement is the card that a whole record makes of the one that is there.
func replacement(was, next Issue) Issue {
	next.CreatedAt, next.UpdatedAt = was.CreatedAt, was.UpdatedAt
	next.StateAt, next.StateReason = was.StateAt, was.StateReason
	next.Claim, next.ClaimEpoch = was.Claim, was.ClaimEpoch
	next.ClaimedAt, next.ClaimLeaseUntil = was.ClaimedAt, was.ClaimLeaseUntil
	next.Comments = unionBy(was.Comments, next.Comments, func(c Comment) string { return c.ID })
	next.Runs = unionBy(was.Runs, next.Runs, func(r RunRef) string { return r.RunID })
	slices.SortStableFunc(next.Runs, func(a, b RunRef) int { return a.At.Compare(b.At) })
	next.Extra = orNil(merged(maps.Clone(was.Extra), next.Extra))
	return next
}

// overlay is the card that a foreign record makes of the one that is there.
func (r Rules) overlay(was, rec Issue) Issue {
	next := was.Clone()
	next.State = r.foreignState(was, rec)
	next.Title = rec.Title
	for _, text := range []struct{ to, from *string }{
		{&next.Body, &rec.Body}, {&next.Assignee, &rec.Assignee}, {&next.ParentID, &rec.ParentID},
	} {
		if *text.from != "" {
			*text.to = *text.from
		}
	}
	if rec.Priority != 0 {
		next.Priority = rec.Priority
	}
	next.Fields = orNil(merged(next.Fields, rec.Fields))
	next.Labels = append(next.Labels, without(rec.Labels, was.Labels)...)
	next.Blockers = append(next.Blockers, without(rec.Blockers, was.Blockers)...)
	next.Comments = unionBy(was.Comments, rec.Comments, func(c Comment) string { return c.ID })
	next.External = rec.External.over(was.External)
	return next
}

// foreignState is the column of a foreign record's card: where it is, unless the
// foreign state has changed. A tool that says no more than "open" moves no card
// that is open here.
func (r Rules) foreignState(was, rec Issue) string {
	var then, now string
	if was.External != nil {
		then = was.External.State
	}
	if rec.External != nil {
		now = rec.External.State
	}
	if then == now || rec.State == r.Schema.Initial() && !r.Schema.Terminal(was.State) {
		return was.State
	}
	return rec.State
}

// over keeps what the new link says nothing of.
func (e *External) over(was *External) *External {
	if e == nil || was == nil {
		return cmp.Or(e.clone(), was.clone())
	}
	c := e.clone()
	if c.ConnectionID == "" {
		c.ConnectionID = was.ConnectionID
	}
	if c.Project == nil {
		c.Project = was.clone().Project
	}
	c.Extra = orNil(merged(maps.Clone(was.Extra), c.Extra))
	return c
}

// unionBy appends the entries of more whose key the list does not have.
func unionBy[T any](list, more []T, key func(T) string) []T {
	out := slices.Clone(list)
	for _, m := range more {
		if !slices.ContainsFunc(out, func(o T) bool { return key(o) == key(m) }) {
			out = append(out, m)
		}
	}
	return out
}

// cleanRecord checks a record by itself and brings it to the form of a card.
func (r Rules) cleanRecord(i Issue) (Issue, error) {
	i = i.Clone()
	i.Claim, i.ClaimedAt, i.ClaimLeaseUntil = "", time.Time{}, time.Time{}
	i.ClaimEpoch = max(i.ClaimEpoch, 0)
	i.Body, i.Assignee = valid(i.Body), strings.TrimSpace(valid(i.Assignee))
	i.ParentID, i.Bot = strings.TrimSpace(i.ParentID), strings.TrimSpace(i.Bot)
	if i.State == "" {
		i.State = r.Schema.Initial()
	}
	for _, step := range []func() error{
		func() error { return CheckID(i.ID) },
		func() (err error) { i.Title, err = cleanTitle(i.Title); return err },
		func() error { return r.Schema.CheckState(i.State) },
		func() (err error) { i.Labels, err = cleanLabels(i.Labels); return err },
		func() error { return i.checkBot() },
		func() (err error) { i.BotArgs, err = cleanArgs(i.BotArgs); return err },
		func() (err error) { i.Fields, err = r.Schema.values(i.Fields); i.Fields = orNil(i.Fields); return err },
		func() (err error) { i.Blockers, err = cleanIDs(i.Blockers); return err },
		func() error { return i.checkParts() },
	} {
		if err := step(); err != nil {
			return Issue{}, err
		}
	}
	return i, nil
}

func cleanIDs(ids []string) ([]string, error) {
	var out []string
	for _, id := range ids {
		id = strings.TrimSpace(id)
		if err := CheckID(id); err != nil {
			return nil, fmt.Errorf("blocker: %w", err)
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

// checkParts refuses entries that could not be told apart from others.
func (i Issue) checkParts() error {
	for _, c := range i.Comments {
		if c.ID == "" {
			return fmt.Errorf("%w: a comment has no id", ErrInvalid)
		}
	}
	for _, run := range i.Runs {
		if run.RunID == "" {
			return fmt.Errorf("%w: a run has no id", ErrInvalid)
		}
	}
	return nil
}

// differingKeys names the keys, known or not, in which two forms of a card
// differ. updated_at, state_at and state_reason are stamps of a change, not what
// changed.
func differingKeys(a, b Issue) ([]string, error) {
	x, err := keysOf(a)
	if err != nil {
		return nil, err
	}
	y, err := keysOf(b)
	if err != nil {
		return nil, err
	}
	all := slices.Collect(maps.Keys(x))
	all = slices.AppendSeq(all, maps.Keys(y))
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(k string) bool {
		return k == "updated_at" || k == "state_at" || k == "state_reason" || bytes.Equal(x[k], y[k])
	}), nil
}

func keysOf(i Issue) (map[string]json.RawMessage, error) {
	data, err := encode(plainIssue(i), i.Extra)
	if err != nil {
		return nil, err
	}
	var keys map[string]json.RawMessage
	return keys, json.Unmarshal(data, &keys)
}

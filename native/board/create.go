package board

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Create files the draft as a new card. Of the draft it takes what a person may
// set, External and Extra; the rest of the card starts out empty. The draft has
// an ID; whether it is free is the twin's to know.
func (r Rules) Create(draft Issue) (Change, error) {
	i := Issue{
		ID: draft.ID, Body: valid(draft.Body), State: draft.State, Priority: draft.Priority,
		Assignee: strings.TrimSpace(valid(draft.Assignee)), ParentID: strings.TrimSpace(draft.ParentID),
		Bot: draft.Bot, External: draft.External.clone(), Extra: maps.Clone(draft.Extra),
		CreatedAt: r.now(), StateAt: r.now(), StateReason: r.By.Reason,
	}
	if i.State == "" {
		i.State = r.Schema.Initial()
	}
	for _, step := range []func() error{
		func() error { return CheckID(i.ID) },
		func() (err error) { i.Title, err = cleanTitle(draft.Title); return err },
		func() error { return r.Schema.CheckState(i.State) },
		func() (err error) { i.Labels, err = cleanLabels(draft.Labels); return err },
		func() error { return i.checkBot() },
		func() (err error) { i.BotArgs, err = cleanArgs(draft.BotArgs); return err },
		func() (err error) { i.Fields, err = r.newFields(draft.Fields); return err },
		func() error { return r.checkParent(i) },
		func() error { return r.addBlockers(&i, draft.Blockers) },
	} {
		if err := step(); err != nil {
			return Change{}, fmt.Errorf("create issue: %w", err)
		}
	}
	return r.tell(i, EventIssueCreated, Payload{}), nil
}

func (i Issue) checkBot() error {
	if i.Bot == "" {
		return nil
	}
	return CheckBot(i.Bot)
}

func (r Rules) newFields(draft map[string]any) (map[string]any, error) {
	values, err := r.Schema.values(draft)
	if err != nil {
		return nil, err
	}
	if err := r.Schema.defaults(values); err != nil {
		return nil, err
	}
	return orNil(values), r.Schema.required(values)
}

// checkParent refuses a parent that does not exist or that descends from the card.
func (r Rules) checkParent(i Issue) error {
	if i.ParentID == "" {
		return nil
	}
	if i.ParentID != i.ID {
		if err := r.exists("parent", i.ParentID); err != nil {
			return err
		}
	}
	loop, err := r.path(i.ParentID, i.ID, func(i Issue) []string { return []string{i.ParentID} })
	if err != nil {
		return fmt.Errorf("check parent: %w", err)
	}
	if loop != nil {
		return fmt.Errorf("%w: parents form a cycle: %s", ErrInvalid, arrows(append([]string{i.ID}, loop...)))
	}
	return nil
}

// orNil makes an empty map a missing one, as it is read back.
func orNil[M ~map[K]V, K comparable, V any](m M) M {
	if len(m) == 0 {
		return nil
	}
	return m
}

// addBlockers adds blockers that the card does not have yet.
func (r Rules) addBlockers(i *Issue, ids []string) error {
	for _, id := range ids {
		id = strings.TrimSpace(id)
		if slices.Contains(i.Blockers, id) {
			continue
		}
		if err := r.checkBlocker(*i, id); err != nil {
			return err
		}
		i.Blockers = append(i.Blockers, id)
	}
	return nil
}

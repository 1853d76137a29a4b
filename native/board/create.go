package board

import (
	"fmt"
	"maps"
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

// orNil makes an empty map a missing one, as it is read back.
func orNil[M ~map[K]V, K comparable, V any](m M) M {
	if len(m) == 0 {
		return nil
	}
	return m
}

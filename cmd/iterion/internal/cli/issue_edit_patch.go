package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"iterion/native/board"
	"iterion/native/exchange"
)

// patchOf is what a person changed in a card's text.
func patchOf(ctx context.Context, f *Factory, b board.Store, was, now exchange.Draft) (board.Patch, error) {
	if err := checkTitle(now.Title); err != nil {
		return board.Patch{}, err
	}
	if now.Bot != was.Bot {
		if err := f.checkBot(now.Bot); err != nil {
			return board.Patch{}, err
		}
	}
	if err := resolveLinks(ctx, b, was, &now); err != nil {
		return board.Patch{}, err
	}
	p := board.Patch{
		Title: changedText(was.Title, now.Title), Body: changedText(strings.Trim(was.Body, "\n"), now.Body),
		Assignee: changedText(was.Assignee, now.Assignee), Bot: changedText(was.Bot, now.Bot), ParentID: changedText(was.Parent, now.Parent),
		AddLabels: lacking(now.Labels, was.Labels), RemoveLabels: lacking(was.Labels, now.Labels),
		AddBlockers: lacking(now.Blockers, was.Blockers), RemoveBlockers: lacking(was.Blockers, now.Blockers),
	}
	if now.Priority != was.Priority {
		p.Priority = &now.Priority
	}
	p.SetFields, p.ClearFields = changedPairs(was.Fields, now.Fields)
	for _, name := range slices.Sorted(maps.Keys(p.SetFields)) {
		if p.SetFields[name] == "" { // a field is emptied by leaving it empty
			delete(p.SetFields, name)
			p.ClearFields = append(p.ClearFields, name)
		}
	}
	p.SetBotArgs, p.ClearBotArgs = changedPairs(was.BotArgs, now.BotArgs)
	return p, nil
}

// resolveLinks turns the references that are new into ids. Those that stood
// there may lead to cards that are gone.
func resolveLinks(ctx context.Context, b board.Store, was exchange.Draft, now *exchange.Draft) error {
	for n, ref := range now.Blockers {
		if slices.Contains(was.Blockers, ref) {
			continue
		}
		ids, err := resolveFlag(ctx, b, "add-blocker", []string{ref})
		if err != nil {
			return err
		}
		now.Blockers[n] = ids[0]
	}
	if now.Parent == "" || now.Parent == was.Parent {
		return nil
	}
	ids, err := resolveFlag(ctx, b, "parent", []string{now.Parent})
	if err == nil {
		now.Parent = ids[0]
	}
	return err
}

func changedText(was, now string) *string {
	if was == now {
		return nil
	}
	return &now
}

// lacking returns the entries that other does not have.
func lacking(list, other []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(other, s) {
			out = append(out, s)
		}
	}
	return out
}

func changedPairs(was, now map[string]string) (set map[string]string, clear []string) {
	set = map[string]string{}
	for k, v := range now {
		if old, there := was[k]; !there || old != v {
			set[k] = v
		}
	}
	for _, k := range slices.Sorted(maps.Keys(was)) {
		if _, there := now[k]; !there && was[k] != "" {
			clear = append(clear, k)
		}
	}
	return set, clear
}

func fieldText(v any) string { return fmt.Sprint(v) }

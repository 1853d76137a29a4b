package board

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Update applies a patch. A patch of blockers alone, or one that only clears the
// last run, has its own event type; any other tells of itself as issue_updated.
func (r Rules) Update(was Issue, p Patch) (Change, error) {
	if err := p.expects(was); err != nil {
		return Change{}, fmt.Errorf("update issue %s: %w", was.ID, err)
	}
	i := was.Clone()
	for _, step := range []func(*Issue, Patch) error{
		r.patchText, r.patchLabels, r.patchBot, r.patchFields, r.patchParent, r.patchBlockers,
	} {
		if err := step(&i, p); err != nil {
			return Change{}, fmt.Errorf("update issue %s: %w", was.ID, err)
		}
	}
	if p.Priority != nil {
		i.Priority = *p.Priority
	}
	if p.ClearLastRun {
		i.LastRunID, i.LastWorkdir = "", ""
	}
	return r.updated(was, i), nil
}

// expects checks the preconditions of a patch.
func (p Patch) expects(was Issue) error {
	if p.IfBot != nil && was.Bot != *p.IfBot {
		return fmt.Errorf("%w: its bot is %q, not %q", ErrTransitionRejected, was.Bot, *p.IfBot)
	}
	if gone := without(p.IfLabels, was.Labels); len(gone) > 0 {
		return fmt.Errorf("%w: it does not bear the label %q", ErrTransitionRejected, gone[0])
	}
	return nil
}

func (r Rules) updated(was, i Issue) Change {
	changed := differ(was, i)
	e := Payload{
		Changed:       changed,
		LabelsAdded:   without(i.Labels, was.Labels),
		LabelsRemoved: without(was.Labels, i.Labels),
	}
	switch {
	case len(changed) == 0:
		return same(was)
	case slices.Equal(changed, []string{"blockers"}):
		return r.tell(i, EventIssueBlockersUpdated, Payload{Blockers: i.Blockers})
	case slices.Equal(changed, []string{"last_run_id"}):
		return r.tell(i, EventIssueLastRunUpdated, Payload{})
	case slices.Contains(changed, "blockers"):
		e.Blockers = i.Blockers
	}
	return r.tell(i, EventIssueUpdated, e)
}

// differ names the keys in which two forms of a card differ, of those that a
// patch can change.
func differ(a, b Issue) []string {
	var keys []string
	for _, k := range []struct {
		name string
		same bool
	}{
		{"title", a.Title == b.Title},
		{"body", a.Body == b.Body},
		{"labels", slices.Equal(a.Labels, b.Labels)},
		{"priority", a.Priority == b.Priority},
		{"assignee", a.Assignee == b.Assignee},
		{"blockers", slices.Equal(a.Blockers, b.Blockers)},
		{"parent_id", a.ParentID == b.ParentID},
		{"fields", len(a.Fields)+len(b.Fields) == 0 || reflect.DeepEqual(a.Fields, b.Fields)},
		{"bot", a.Bot == b.Bot},
		{"bot_args", maps.Equal(a.BotArgs, b.BotArgs)},
		{"last_run_id", a.LastRunID == b.LastRunID && a.LastWorkdir == b.LastWorkdir},
	} {
		if !k.same {
			keys = append(keys, k.name)
		}
	}
	return keys
}

func (r Rules) patchText(i *Issue, p Patch) (err error) {
	if p.Title != nil {
		if i.Title, err = cleanTitle(*p.Title); err != nil {
			return err
		}
	}
	if p.Body != nil {
		i.Body = valid(*p.Body)
	}
	if p.Assignee != nil {
		i.Assignee = strings.TrimSpace(valid(*p.Assignee))
	}
	return nil
}

func (r Rules) patchLabels(i *Issue, p Patch) error {
	add, err := cleanLabels(p.AddLabels)
	if err != nil {
		return err
	}
	remove, err := cleanLabels(p.RemoveLabels)
	if err != nil {
		return err
	}
	if both := without(add, without(add, remove)); len(both) > 0 {
		return fmt.Errorf("%w: label %q is both added and removed", ErrInvalid, both[0])
	}
	if p.SetLabels != nil {
		if i.Labels, err = cleanLabels(*p.SetLabels); err != nil {
			return err
		}
	}
	i.Labels = append(without(i.Labels, remove), without(add, i.Labels)...)
	return nil
}

func (r Rules) patchBot(i *Issue, p Patch) error {
	if p.Bot != nil {
		i.Bot = strings.TrimSpace(*p.Bot)
		if err := i.checkBot(); err != nil {
			return err
		}
	}
	set, err := cleanArgs(p.SetBotArgs)
	if err != nil {
		return err
	}
	for _, k := range p.ClearBotArgs {
		delete(i.BotArgs, k)
	}
	i.BotArgs = orNil(merged(i.BotArgs, set))
	return nil
}

func (r Rules) patchFields(i *Issue, p Patch) error {
	if len(p.SetFields)+len(p.ClearFields) == 0 {
		return nil
	}
	for _, name := range p.ClearFields {
		if _, set := i.Fields[name]; !set {
			if _, err := r.Schema.checkField(name); err != nil {
				return err
			}
		}
		delete(i.Fields, name)
	}
	text := make(map[string]any, len(p.SetFields))
	for name, v := range p.SetFields {
		text[name] = v
	}
	set, err := r.Schema.values(text)
	if err != nil {
		return err
	}
	i.Fields = orNil(merged(i.Fields, set))
	return r.Schema.required(i.Fields)
}

func (r Rules) patchParent(i *Issue, p Patch) error {
	if p.ParentID == nil {
		return nil
	}
	i.ParentID = strings.TrimSpace(*p.ParentID)
	return r.checkParent(*i)
}

func (r Rules) patchBlockers(i *Issue, p Patch) error {
	i.Blockers = without(i.Blockers, p.RemoveBlockers)
	return r.addBlockers(i, p.AddBlockers)
}

// without returns the elements of list that are not in drop, or nil.
func without(list, drop []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(drop, s) {
			out = append(out, s)
		}
	}
	return out
}

// merged returns base with the entries of over put in.
func merged[V any](base, over map[string]V) map[string]V {
	if base == nil {
		return over
	}
	maps.Copy(base, over)
	return base
}

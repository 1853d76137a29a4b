package board

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// LabelEdit is a change to the vocabulary of labels: to every card that bears
// From. Make one by RenameLabel, MergeLabel or DeleteLabel.
type LabelEdit struct {
	Verb     EventType // label_rename, label_merge or label_delete
	From, To string    // To is empty where the label goes
}

// RenameLabel gives a label a name that no card bears yet.
func RenameLabel(from, to string) LabelEdit { return LabelEdit{EventLabelRename, from, to} }

// MergeLabel lets a label become another that is in use.
func MergeLabel(from, into string) LabelEdit { return LabelEdit{EventLabelMerge, from, into} }

// DeleteLabel takes a label off every card.
func DeleteLabel(label string) LabelEdit { return LabelEdit{EventLabelDelete, label, ""} }

// Relabel changes the vocabulary of labels. cards are at least those of the board
// that bear one of the labels; each that is touched has its own Change. Errors: ErrNotFound
// for a label that no card bears, ErrExists for a new name that one does.
func (r Rules) Relabel(cards []Issue, e LabelEdit) ([]Change, error) {
	e, err := e.check(CountLabels(cards))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.ReplaceAll(string(e.Verb), "_", " "), err)
	}
	var out []Change
	for _, i := range cards {
		if slices.Contains(i.Labels, e.From) {
			i = i.Clone()
			i.Labels = e.apply(i.Labels)
			out = append(out, r.tell(i, e.Verb, e.payload()))
		}
	}
	return out, nil
}

// payload tells the edit. Under a new name the label is the same as before, so
// that nothing is to happen because of it.
func (e LabelEdit) payload() Payload {
	if e.Verb == EventLabelDelete {
		return Payload{Label: e.From}
	}
	return Payload{From: e.From, To: e.To, Reason: ReasonLabelRenamed}
}

// apply keeps the label's place unless the card bears the other one already.
func (e LabelEdit) apply(labels []string) []string {
	if e.To == "" || slices.Contains(labels, e.To) {
		return without(labels, []string{e.From})
	}
	labels = slices.Clone(labels)
	labels[slices.Index(labels, e.From)] = e.To
	return labels
}

func (e LabelEdit) check(used []LabelCount) (LabelEdit, error) {
	names := []string{e.From}
	if e.Verb != EventLabelDelete {
		names = append(names, e.To)
	}
	clean, err := cleanLabels(names)
	switch {
	case err != nil:
		return e, err
	case len(clean) < len(names):
		return e, fmt.Errorf("%w: label %q cannot become itself", ErrInvalid, e.From)
	}
	e.From = clean[0]
	if err := inUse(e.From, used); err != nil || e.Verb == EventLabelDelete {
		return e, err
	}
	e.To = clean[1]
	err = inUse(e.To, used)
	if e.Verb == EventLabelMerge {
		return e, err
	}
	if err == nil {
		return e, fmt.Errorf("label %q: %w: merge the two instead", e.To, ErrExists)
	}
	return e, nil
}

func inUse(label string, used []LabelCount) error {
	names := make([]string, len(used))
	for n, u := range used {
		if u.Label == label {
			return nil
		}
		names[n] = u.Label
	}
	hint := ""
	if near := nearest(label, names); near != "" {
		hint = fmt.Sprintf(", did you mean %q?", near)
	}
	return fmt.Errorf("label %q: %w on any card%s", label, ErrNotFound, hint)
}

// LabelCount says how many cards bear a label.
type LabelCount struct {
	Label string `json:"label"`
	Cards int    `json:"cards"`
}

// CountLabels returns the labels of the cards, the most used first.
func CountLabels(cards []Issue) []LabelCount {
	count := map[string]int{}
	for _, i := range cards {
		for _, l := range i.Labels {
			count[l]++
		}
	}
	return SortLabels(count)
}

// SortLabels returns the labels, counted by their name, the most used first.
func SortLabels(count map[string]int) []LabelCount {
	out := make([]LabelCount, 0, len(count))
	for _, l := range slices.Sorted(maps.Keys(count)) {
		out = append(out, LabelCount{l, count[l]})
	}
	slices.SortStableFunc(out, func(a, b LabelCount) int { return cmp.Compare(b.Cards, a.Cards) })
	return out
}

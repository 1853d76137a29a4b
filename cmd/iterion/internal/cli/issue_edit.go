package cli

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"iterion/native/board"
	"iterion/native/exchange"
)

// editNewIssue lets the user write the card as a text, with what the flags say
// filled in already.
func editNewIssue(ctx context.Context, f *Factory, b board.Store, o issueCreateOptions) (board.Issue, error) {
	o.body.edit = false
	schema, err := schemaOf(ctx, b)
	if err != nil {
		return board.Issue{}, err
	}
	is, err := o.draft(ctx, f, b)
	if err != nil {
		return board.Issue{}, err
	}
	is.State = cmp.Or(is.State, schema.Initial())
	before := exchange.DraftOf(is)
	offerFields(schema, before.Fields, true)
	var now board.Issue
	err = f.editDraft(ctx, before, hints(schema, true), func(d exchange.Draft) error {
		if err := checkTitle(d.Title); err != nil {
			return err
		}
		is, err := o.written(d).draft(ctx, f, b)
		if err != nil {
			return err
		}
		is.Body = d.Body
		now, err = b.Create(ctx, is, f.Cause())
		return err
	})
	return now, err
}

// written are the options that say what the draft says.
func (o issueCreateOptions) written(d exchange.Draft) issueCreateOptions {
	o.title, o.state, o.labels, o.priority, o.assignee = d.Title, d.State, d.Labels, d.Priority, d.Assignee
	o.bot, o.blockers, o.parent = d.Bot, d.Blockers, d.Parent
	o.fields, o.botArgs = pairList(d.Fields, true), pairList(d.BotArgs, false)
	return o
}

// pairList turns a map into k=v flags; a field left empty was not given.
func pairList(m map[string]string, dropEmpty bool) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] != "" || !dropEmpty {
			out = append(out, k+"="+m[k])
		}
	}
	return out
}

// editIssue lets the user change a card as a text. What the text changed is what
// is written, so that a change by somebody else meanwhile stays.
func editIssue(ctx context.Context, f *Factory, b board.Store, is board.Issue) (board.Issue, error) {
	schema, err := schemaOf(ctx, b)
	if err != nil {
		return board.Issue{}, err
	}
	before := exchange.DraftOf(is)
	before.State = "" // a move is a verb of its own
	offerFields(schema, before.Fields, false)
	var now board.Issue
	err = f.editDraft(ctx, before, hints(schema, false), func(d exchange.Draft) error {
		if d.State != "" && d.State != is.State {
			return Usagef("state: `iterion issue move` files the card under another column")
		}
		p, err := patchOf(ctx, f, b, before, d)
		if err != nil {
			return err
		}
		now, err = b.Update(ctx, is.ID, p, f.Cause())
		return err
	})
	return now, err
}

// offerFields adds the custom fields that the card does not have, empty or, on a
// new card, with their defaults.
func offerFields(s board.Schema, fields map[string]string, isNew bool) {
	for _, fd := range s.Fields {
		if _, set := fields[fd.Name]; set {
			continue
		}
		fields[fd.Name] = ""
		if isNew && fd.Default != nil {
			fields[fd.Name] = fieldText(fd.Default)
		}
	}
}

// hints tell in the text what may stand where.
func hints(s board.Schema, isNew bool) []string {
	out := []string{"The body, Markdown, follows below. An empty or unchanged text does nothing."}
	if isNew {
		out = append(out, "state: "+strings.Join(s.StateNames(), ", "))
	}
	for _, fd := range s.Fields {
		what := fd.Type
		if len(fd.EnumValues) > 0 {
			what = strings.Join(fd.EnumValues, ", ")
		}
		if fd.Required {
			what += " (required)"
		}
		out = append(out, "fields."+fd.Name+": "+what)
	}
	return out
}

package screen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/native/board"
	"iterion/tui/kit"
	"iterion/tui/mirror"
)

// EditFetched brings a card that is to be edited: its body is not on the board.
type EditFetched struct{ issue board.Issue }

// AskEdit opens the form of a card once it was read whole.
func (e *Env) AskEdit(c *mirror.Card) tea.Cmd {
	if !e.May() {
		return nil
	}
	if f := e.Drafts["edit "+c.ID]; f != nil {
		e.Open(f)
		return nil
	}
	id := c.ID
	return e.Fetch(func(ctx context.Context, src Source) tea.Msg {
		is, err := src.Issue(ctx, id)
		if err != nil {
			return Done{Err: err}
		}
		return EditFetched{is}
	})
}

// OpenEdit opens the form of a card that was read.
func (e *Env) OpenEdit(m EditFetched) {
	ed := &editing{was: m.issue, by: e.By, key: "edit " + m.issue.ID}
	f := ed.form(e)
	e.Drafts[ed.key] = f
	e.Open(f)
}

// editing is the form of a card: only what was changed in it is written.
type editing struct {
	was  board.Issue
	by   string
	key  string
	bots []string
}

func (ed *editing) form(e *Env) *kit.Form {
	is := ed.was
	items, at := e.botItems(&ed.bots, is.Bot)
	f := kit.NewForm("Edit "+kit.Short(is.ID), func(f *kit.Form) (tea.Cmd, string) { return ed.send(e, f) },
		&kit.Field{Name: "Title", Kind: kit.FieldLine, Text: is.Title},
		&kit.Field{Name: "Body", Kind: kit.FieldText, Text: is.Body},
		&kit.Field{Name: "Bot", Kind: kit.FieldChoice, Items: items, At: at},
		&kit.Field{Name: "Input", Kind: kit.FieldText, Text: argLines(is.BotArgs), Hint: "name=value for the bot, one a line", Rows: 2},
		&kit.Field{Name: "Labels", Kind: kit.FieldLine, Text: strings.Join(is.Labels, ", "), Hint: "by commas"},
		&kit.Field{Name: "Priority", Kind: kit.FieldLine, Text: strconv.Itoa(is.Priority)},
		&kit.Field{Name: "Assignee", Kind: kit.FieldLine, Text: is.Assignee})
	f.Kept = true
	return f
}

// botItems are the choices of a bot, none first; slugs is filled with what each
// stands for. A bot that the card has and that nobody knows stays a choice.
func (e *Env) botItems(slugs *[]string, now string) (items []kit.Item, at int) {
	*slugs, items = []string{""}, []kit.Item{{Name: "none", Note: "the dispatcher's default, if it has one"}}
	for _, b := range e.Bots {
		if (!b.Enabled || b.Problem != "") && b.Slug != now {
			continue
		}
		*slugs = append(*slugs, b.Slug)
		items = append(items, kit.Item{Name: kit.Line(b.Slug), Note: kit.Line(b.Description)})
	}
	if now != "" && !slices.Contains(*slugs, now) {
		*slugs = append(*slugs, now)
		items = append(items, kit.Item{Name: kit.Line(now), Note: "not known here"})
	}
	return items, max(0, slices.Index(*slugs, now))
}

// argLines writes bot args one a line.
func argLines(args map[string]string) string {
	var lines []string
	for name, value := range args {
		lines = append(lines, name+"="+strings.ReplaceAll(value, "\n", `\n`))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// argsOf reads what argLines wrote.
func argsOf(text string) (map[string]string, string) {
	args := map[string]string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, "an input is name=value, like command=make test"
		}
		args[name] = strings.ReplaceAll(value, `\n`, "\n")
	}
	return args, ""
}

func (ed *editing) send(e *Env, f *kit.Form) (tea.Cmd, string) {
	next := ed.was
	next.Title, next.Body, next.Bot = f.Fields[0].Edited(ed.was.Title), f.Fields[1].Edited(ed.was.Body), ed.bots[f.Fields[2].At]
	if next.Title != ed.was.Title {
		next.Title = strings.TrimSpace(next.Title)
	}
	if next.Title == "" {
		return nil, "a card needs a title"
	}
	var problem string
	if args := argLines(ed.was.BotArgs); f.Fields[3].Edited(args) != args {
		if next.BotArgs, problem = argsOf(f.Fields[3].Value()); problem != "" {
			return nil, problem
		}
	}
	if labels := strings.Join(ed.was.Labels, ", "); f.Fields[4].Edited(labels) != labels {
		next.Labels = wordsOf(f.Fields[4].Value())
	}
	if who := f.Fields[6].Edited(ed.was.Assignee); who != ed.was.Assignee {
		next.Assignee = strings.TrimSpace(who)
	}
	n, err := strconv.Atoi(strings.TrimSpace(f.Fields[5].Value()))
	if err != nil {
		return nil, "the priority is a whole number; higher goes first"
	}
	next.Priority = n
	delete(e.Drafts, ed.key)
	forth, back := changeOf(ed.was, next, ed.by), changeOf(next, ed.was, ed.by)
	return e.edit(f, ed.key, "edit of "+kit.Short(ed.was.ID), []edit{{id: ed.was.ID, forth: forth, back: back}}), ""
}

// wordsOf splits a list by commas or spaces.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}

// changeOf is what leads from one card to another.
func changeOf(from, to board.Issue, by string) control.UpdateIssue {
	u := control.UpdateIssue{By: by}
	text := func(was, is string) *string {
		if was == is {
			return nil
		}
		return &is
	}
	u.Title, u.Body, u.Bot, u.Assignee = text(from.Title, to.Title), text(from.Body, to.Body), text(from.Bot, to.Bot), text(from.Assignee, to.Assignee)
	if from.Priority != to.Priority {
		u.Priority = &to.Priority
	}
	u.AddLabels, u.RemoveLabels = without(to.Labels, from.Labels), without(from.Labels, to.Labels)
	for name, value := range to.BotArgs {
		if was, ok := from.BotArgs[name]; !ok || was != value {
			if u.SetBotArgs == nil {
				u.SetBotArgs = map[string]string{}
			}
			u.SetBotArgs[name] = value
		}
	}
	for name := range from.BotArgs {
		if _, ok := to.BotArgs[name]; !ok {
			u.ClearBotArgs = append(u.ClearBotArgs, name)
		}
	}
	slices.Sort(u.ClearBotArgs)
	return u
}

// without returns what is in list and not in other.
func without(list, other []string) (out []string) {
	for _, s := range list {
		if !slices.Contains(other, s) {
			out = append(out, s)
		}
	}
	return out
}

// edit is the change of one card, and the way back.
type edit struct {
	id          string
	forth, back control.UpdateIssue
}

// edit changes cards and remembers the way back. form is opened again on an error.
func (e *Env) edit(form *kit.Form, key, what string, edits []edit) tea.Cmd {
	ctx, src := e.Ctx, e.Source
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, verbTime)
		defer cancel()
		var done []edit
		var err error
		for _, ed := range edits {
			_, one := src.Update(ctx, ed.id, ed.forth)
			if one == nil {
				done = append(done, ed)
			}
			err = errors.Join(err, one)
		}
		out := Done{Text: countOf(len(done)) + " changed", Err: err, Draft: form, DraftKey: key}
		if len(done) > 0 {
			out.Undo = &Undo{Text: what, Do: func(e *Env) tea.Cmd { return e.unedit(what, done) }}
		}
		if err != nil && len(edits) > 1 {
			out.Err = fmt.Errorf("%d of %d changed: %w", len(done), len(edits), err)
		}
		return out
	}
}

func (e *Env) unedit(what string, done []edit) tea.Cmd {
	return e.Do(func(ctx context.Context, src Source) (string, error) {
		var err error
		for _, ed := range done {
			_, one := src.Update(ctx, ed.id, ed.back)
			err = errors.Join(err, one)
		}
		return "took back the " + what, err
	})
}

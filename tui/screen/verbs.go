package screen

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/tui/kit"
	"iterion/tui/mirror"
)

func columnNote(c *mirror.Column, here bool) string {
	switch {
	case here:
		return "it is here"
	case c.Eligible:
		return "bots start from here"
	case c.Terminal:
		return "cards end here"
	}
	return ""
}

// AskCancelRun asks before ending a run.
func (e *Env) AskCancelRun(id string, r *run.Record, title string) {
	if !e.May() {
		return
	}
	if id == "" || r != nil && r.Status.Final() {
		e.Say(kit.MarkStopped, "there is no live run to cancel")
		return
	}
	by := e.By
	e.Open(&kit.Confirm{
		Ask: "Cancel this run?", Yes: "cancel the run",
		Facts: []string{title, "Every process of run " + kit.ShortRun(id) + " is ended. Its card is held until a person moves it or clears its last run."},
		Do: func() tea.Cmd {
			return e.Do(func(ctx context.Context, src Source) (string, error) {
				_, err := src.CancelRun(ctx, id, control.By{By: by})
				return "run " + kit.ShortRun(id) + " is being cancelled", err
			})
		},
	})
}

// AskClearLastRun asks before dropping a card's pointer to its last run.
func (e *Env) AskClearLastRun(c *mirror.Card) {
	if !e.May() {
		return
	}
	if c.LastRunID == "" {
		e.Say(kit.MarkQuiet, "this card has no last run")
		return
	}
	id, by := c.ID, e.By
	e.Open(&kit.Confirm{
		Ask: "Clear the last run?", Yes: "clear it",
		Facts: []string{kit.Line(c.Title), "The card forgets run " + kit.ShortRun(c.LastRunID) + " and may be started afresh. The run and the card's history stay."},
		Do: func() tea.Cmd {
			return e.Do(func(ctx context.Context, src Source) (string, error) {
				_, err := src.ClearLastRun(ctx, id, control.By{By: by})
				return kit.Short(id) + " has no last run now", err
			})
		},
	})
}

// AskComment opens a form for a remark.
func (e *Env) AskComment(c *mirror.Card) {
	if !e.May() {
		return
	}
	id, by, name := c.ID, e.By, "comment "+c.ID
	e.draft(name, func() *kit.Form {
		return kit.NewForm("Comment on "+kit.Short(id), func(f *kit.Form) (tea.Cmd, string) {
			body := strings.TrimSpace(f.Fields[0].Value())
			if body == "" {
				return nil, "there is nothing to say yet"
			}
			delete(e.Drafts, name)
			return e.DoDraft(name, f, func(ctx context.Context, src Source) (string, error) {
				_, err := src.Comment(ctx, id, control.AddComment{Author: by, Body: body})
				return "commented on " + kit.Short(id), err
			}), ""
		}, &kit.Field{Name: "Text", Kind: kit.FieldText, Hint: "what there is to say"})
	})
}

// draft opens the form of a name, going on with one that was closed half-filled.
// One that was closed blank is made anew: columns and bots may have changed.
func (e *Env) draft(name string, build func() *kit.Form) {
	f := e.Drafts[name]
	if f == nil || f.Blank() {
		f = build()
		f.Kept = true
		e.Drafts[name] = f
	}
	e.Open(f)
}

// AskCreate opens the form for a new card, to be filed under state unless the
// person chooses otherwise. created is called with the new card's id.
func (e *Env) AskCreate(state string, created func(id string) tea.Msg) tea.Cmd {
	if !e.May() {
		return nil
	}
	e.draft("create", func() *kit.Form {
		f := &create{env: e, created: created}
		return f.form(state)
	})
	return e.FetchBots()
}

// BotsKnown brings the bot registry.
type BotsKnown struct{ Bots []control.BotInfo }

// FetchBots asks for the bot registry.
func (e *Env) FetchBots() tea.Cmd {
	return e.Fetch(func(ctx context.Context, src Source) tea.Msg {
		bots, err := src.Bots(ctx)
		if err != nil {
			return nil
		}
		return BotsKnown{bots}
	})
}

// create is the form for a new card.
type create struct {
	env     *Env
	created func(id string) tea.Msg
	states  []string
	bots    []string
}

func (c *create) form(state string) *kit.Form {
	where := &kit.Field{Name: "Column", Kind: kit.FieldChoice}
	for _, col := range c.env.Mirror.Columns {
		if col.Stray {
			continue
		}
		if col.Name == state {
			where.At = len(where.Items)
		}
		c.states = append(c.states, col.Name)
		where.Items = append(where.Items, kit.Item{Name: kit.Line(col.Title()), Note: columnNote(col, false)})
	}
	who := &kit.Field{Name: "Bot", Kind: kit.FieldChoice, Items: []kit.Item{{Name: "none", Note: "the dispatcher's default, if it has one"}}}
	c.bots = []string{""}
	for _, b := range c.env.Bots {
		if !b.Enabled || b.Problem != "" {
			continue
		}
		c.bots = append(c.bots, b.Slug)
		who.Items = append(who.Items, kit.Item{Name: kit.Line(b.Slug), Note: kit.Line(b.Description)})
	}
	return kit.NewForm("New card", c.send,
		&kit.Field{Name: "Title", Kind: kit.FieldLine, Hint: "what is to be done"},
		&kit.Field{Name: "Body", Kind: kit.FieldText, Hint: "details, in Markdown (optional)"},
		who,
		&kit.Field{Name: "Input", Kind: kit.FieldLine, Hint: "name=value for the bot, like command=make test"},
		where)
}

func (c *create) send(f *kit.Form) (tea.Cmd, string) {
	in := control.CreateIssue{Title: strings.TrimSpace(f.Fields[0].Value()), Body: f.Fields[1].Value(), By: c.env.By}
	if in.Title == "" {
		return nil, "a card needs a title"
	}
	in.Bot, in.State = c.bots[f.Fields[2].At], c.states[f.Fields[4].At]
	if text := strings.TrimSpace(f.Fields[3].Value()); text != "" {
		name, value, ok := strings.Cut(text, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, "the input is no name=value, like command=make test"
		}
		in.BotArgs = map[string]string{name: value}
	}
	delete(c.env.Drafts, "create")
	made := board.Issue{}
	do := c.env.DoDraft("create", f, func(ctx context.Context, src Source) (text string, err error) {
		made, err = src.Create(ctx, in)
		return "filed " + kit.Short(made.ID) + " " + made.Title, err
	})
	return func() tea.Msg {
		done := do().(Done)
		if done.Err != nil {
			return done
		}
		return tea.BatchMsg{func() tea.Msg { return done }, func() tea.Msg { return c.created(made.ID) }}
	}, ""
}

// AskPause pauses dispatch with a reason, or resumes it.
func (e *Env) AskPause() tea.Cmd {
	if !e.May() {
		return nil
	}
	if e.Paused() {
		by := e.By
		return e.Do(func(ctx context.Context, src Source) (string, error) {
			_, err := src.Unpause(ctx, control.Pause{By: by})
			return "dispatch goes on", err
		})
	}
	by := e.By
	e.Open(kit.NewForm("Pause dispatch", func(f *kit.Form) (tea.Cmd, string) {
		reason := strings.TrimSpace(f.Fields[0].Value())
		return e.Do(func(ctx context.Context, src Source) (string, error) {
			_, err := src.Pause(ctx, control.Pause{Reason: reason, By: by})
			return "dispatch is paused; what runs goes on", err
		}), ""
	}, &kit.Field{Name: "Reason", Kind: kit.FieldLine, Hint: "for whoever wonders (optional)"}))
	return nil
}

// Paused reports whether the operator has paused dispatch.
func (e *Env) Paused() bool { return e.Mirror.Status.Dispatch.Desired.Desired == "paused" }

// DoRefresh asks the dispatcher to look now.
func (e *Env) DoRefresh() tea.Cmd {
	if e.Source == nil {
		e.Say(kit.MarkBlocked, "no daemon is connected")
		return nil
	}
	by := e.By
	return e.Do(func(ctx context.Context, src Source) (string, error) {
		_, err := src.Refresh(ctx, control.By{By: by})
		return "refreshed", err
	})
}

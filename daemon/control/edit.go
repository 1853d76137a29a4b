package control

import (
	"context"
	"net/http"

	"iterion/native/board"
	"iterion/native/run"
)

// UpdateIssue changes parts of a card. What is left out, or empty, stays.
type UpdateIssue struct {
	Title    *string `json:"title,omitempty"`
	Body     *string `json:"body,omitempty"`
	Assignee *string `json:"assignee,omitempty"`
	Bot      *string `json:"bot,omitempty"`
	ParentID *string `json:"parent_id,omitempty"`
	Priority *int    `json:"priority,omitempty"`

	AddLabels      []string          `json:"add_labels,omitempty"`
	RemoveLabels   []string          `json:"remove_labels,omitempty"`
	AddBlockers    []string          `json:"add_blockers,omitempty"`
	RemoveBlockers []string          `json:"remove_blockers,omitempty"`
	SetFields      map[string]string `json:"set_fields,omitempty"`
	ClearFields    []string          `json:"clear_fields,omitempty"`
	SetBotArgs     map[string]string `json:"set_bot_args,omitempty"`
	ClearBotArgs   []string          `json:"clear_bot_args,omitempty"`

	By string `json:"by,omitempty"`
}

// Patch returns the change as the board's stores take it.
func (u UpdateIssue) Patch() board.Patch {
	return board.Patch{
		Title: u.Title, Body: u.Body, Assignee: u.Assignee, Bot: u.Bot, ParentID: u.ParentID, Priority: u.Priority,
		AddLabels: u.AddLabels, RemoveLabels: u.RemoveLabels,
		AddBlockers: u.AddBlockers, RemoveBlockers: u.RemoveBlockers,
		SetFields: u.SetFields, ClearFields: u.ClearFields,
		SetBotArgs: u.SetBotArgs, ClearBotArgs: u.ClearBotArgs,
	}
}

// Answer answers what a run asks. Values are by the names of the form's fields, as
// text or as the field wants them.
type Answer struct {
	Values map[string]any `json:"values"`
	By     string         `json:"by,omitempty"`
}

// Editing is the part of the API that changes cards and answers runs in forms.
type Editing interface {
	// Update changes parts of a card in one step. An unknown bot is refused.
	Update(ctx context.Context, ref string, in UpdateIssue) (board.Issue, error)
	// Question returns what a paused run asks; CodeConflict where it asks nothing.
	Question(ctx context.Context, ref string) (run.Interaction, error)
	// AnswerRun stores the answers and lets the run go on as ResumeRun does. What is
	// wrong with them is CodeInvalid, and nothing is stored.
	AnswerRun(ctx context.Context, ref string, in Answer) (run.Record, error)
}

func routeEditing(mux *http.ServeMux, api Editing) {
	mux.Handle("POST /v1/issues/{ref}/update", namedVerb(api.Update))
	mux.Handle("GET /v1/runs/{ref}/question", named(api.Question))
	mux.Handle("POST /v1/runs/{ref}/answer", namedVerb(api.AnswerRun))
}

// Update changes parts of a card.
func (c *Client) Update(ctx context.Context, ref string, in UpdateIssue) (board.Issue, error) {
	return post[board.Issue](ctx, c, issuePath(ref, "/update"), in)
}

// Question returns what a paused run asks.
func (c *Client) Question(ctx context.Context, ref string) (run.Interaction, error) {
	return get[run.Interaction](ctx, c, runPath(ref, "/question"))
}

// AnswerRun answers what a run asks and lets it go on.
func (c *Client) AnswerRun(ctx context.Context, ref string, in Answer) (run.Record, error) {
	return post[run.Record](ctx, c, runPath(ref, "/answer"), in)
}

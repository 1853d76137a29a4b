package control

import (
	"encoding/json"

	"iterion/native/board"
)

// plainIssue is an issue without its codec. Embedding board.Issue itself would
// make its codec the card's and lose the card's own fields; and a stream of
// cards can do without the keys that are not known.
type plainIssue board.Issue

type wireCard struct {
	plainIssue
	Comments     int      `json:"comment_count,omitempty"`
	HasBody      bool     `json:"has_body,omitempty"`
	OpenBlockers []string `json:"open_blockers,omitempty"`
}

// CardOf returns the card of an issue: body and comments are left behind.
func CardOf(is board.Issue, openBlockers []string) Card {
	c := Card{Issue: is, Comments: len(is.Comments), HasBody: is.Body != "", OpenBlockers: openBlockers}
	c.Issue.Body, c.Issue.Comments, c.Issue.Extra = "", nil, nil
	return c
}

// MarshalJSON writes the issue's keys and the card's own beside them.
func (c Card) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireCard{plainIssue(c.Issue), c.Comments, c.HasBody, c.OpenBlockers})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Card) UnmarshalJSON(data []byte) error {
	var w wireCard
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*c = Card{board.Issue(w.plainIssue), w.Comments, w.HasBody, w.OpenBlockers}
	return nil
}

package board

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// Comment appends a remark under a new id.
func (r Rules) Comment(i Issue, author, body string) (Change, error) {
	if strings.TrimSpace(body) == "" {
		return Change{}, fmt.Errorf("comment on issue %s: %w: the comment is blank", i.ID, ErrInvalid)
	}
	c := Comment{ID: uuid.NewString(), Author: strings.TrimSpace(valid(author)), Body: valid(body), CreatedAt: r.now()}
	i = i.Clone()
	i.Comments = append(i.Comments, c)
	return r.tell(i, EventIssueCommentAdded, Payload{CommentID: c.ID}), nil
}

package board

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// NewCommentID returns the id of a new comment.
func NewCommentID() string { return uuid.NewString() }

// Comment appends a remark under the given id.
func (r Rules) Comment(i Issue, id, author, body string) (Change, error) {
	if strings.TrimSpace(body) == "" {
		return Change{}, fmt.Errorf("comment on issue %s: %w: the comment is blank", i.ID, ErrInvalid)
	}
	c := Comment{ID: id, Author: strings.TrimSpace(valid(author)), Body: valid(body), CreatedAt: r.now()}
	i = i.Clone()
	i.Comments = append(i.Comments, c)
	return r.tell(i, EventIssueCommentAdded, Payload{CommentID: id}), nil
}

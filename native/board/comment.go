package board

import (
	"fmt"
	"strings"
)

// Comment appends a remark under a new id.
func (r Rules) Comment(i Issue, id, author, body string) (Change, error) {
	if strings.TrimSpace(body) == "" {
		return Change{}, fmt.Errorf("comment on issue %s: %w: the comment is blank", i.ID, ErrInvalid)
	}
	i = i.Clone()
	i.Comments = append(i.Comments, Comment{
		ID: id, Author: strings.TrimSpace(valid(author)), Body: valid(body), CreatedAt: r.now(),
	})
	return r.tell(i, EventIssueCommentAdded, Payload{CommentID: id}), nil
}

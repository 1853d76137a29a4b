package board

import "context"

// FileLister is a Store that keeps its cards as files, or what stands for them,
// and can list them as they are.
type FileLister interface {
	// ListFiles calls fn with each card that q selects, in q's order, in the form
	// of EncodeIssue; fn must not keep it nor call the Store. It returns the records that could not be read,
	// and fn's error when that is what ended it.
	ListFiles(ctx context.Context, q Query, fn func(card []byte) error) ([]UnreadableError, error)
}

package cli

import (
	"context"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

func newIssue(f *Factory) *cobra.Command {
	return group("issue", "File, read, move and settle cards",
		newIssueCreate(f),
		newIssueList(f),
		newIssueShow(f),
		newIssueMove(f),
		newIssueUpdate(f),
		newIssueClose(f),
		newIssueReopen(f),
		newIssueDelete(f),
		newIssueComment(f),
		newIssueClaim(f),
		newIssueRelease(f),
		newIssueLabels(f),
		newIssueLabel(f),
		newIssueImport(f),
		newIssueExport(f),
		newIssueEvents(f),
		newIssueBoard(f),
	)
}

// printIssue reports a card that a command has just written: as JSON, by its id
// alone, or by a line whose last word is the id.
func (f *Factory) printIssue(is board.Issue, did string) error {
	return f.printIssues([]board.Issue{is}, func(board.Issue) string { return did }, true)
}

// printIssues does the same for several cards; JSON is one array unless single.
func (f *Factory) printIssues(issues []board.Issue, did func(board.Issue) string, single bool) error {
	if f.Global.JSON && single {
		return f.PrintJSON(issues[0])
	}
	if f.Global.JSON {
		return f.PrintJSON(issues)
	}
	for _, is := range issues {
		if f.Global.Quiet {
			f.Say("%s", is.ID)
		} else {
			f.Say("%s %s", did(is), is.ID)
		}
	}
	return nil
}

// resolveAll turns references into ids, all of them or none.
func resolveAll(ctx context.Context, b board.Store, refs []string) ([]string, error) {
	ids := make([]string, 0, len(refs))
	seen := map[string]bool{}
	for _, ref := range refs {
		id, err := b.Resolve(ctx, ref)
		if err != nil {
			return nil, err // which names the reference
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, nil
}

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

func newIssueShow(f *Factory) *cobra.Command {
	var dependents bool
	c := &cobra.Command{
		Use: "show ID", Short: "Show a card", Args: exactly("ID"),
		Long: "Show a card, with what it waits for. --dependents shows the cards that wait for it as\n" +
			"well; it looks at every card of the board. --json prints the card as it is on file.",
		ValidArgsFunction: f.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			return runIssueShow(c.Context(), f, args[0], dependents)
		},
	}
	c.Flags().BoolVar(&dependents, "dependents", false, "also the cards that wait for this one")
	return c
}

func runIssueShow(ctx context.Context, f *Factory, ref string, dependents bool) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	is, err := cardOf(ctx, b, ref)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.PrintJSON(is)
	}
	links := blockerRows(ctx, b, is)
	if dependents {
		rows, err := dependentRows(ctx, f, b, is)
		if err != nil {
			return err
		}
		links = append(links, rows...)
	}
	showIssue(f, is, links)
	return nil
}

func showIssue(f *Factory, is board.Issue, links [][2]string) {
	f.Say("%s", is.Title)
	for _, row := range slices.Concat(issueRows(f, is), links) {
		if row[1] != "" {
			f.Say("%-10s %s", row[0], row[1])
		}
	}
	if is.Body != "" {
		f.Say("\n%s", strings.TrimRight(is.Body, "\n"))
	}
	for _, c := range is.Comments {
		f.Say("\n%s, %s:\n%s", c.Author, instant(c.CreatedAt), indent(c.Body))
	}
}

func issueRows(f *Factory, is board.Issue) [][2]string {
	rows := [][2]string{
		{"id", is.ID},
		{"state", since(is.State, is.StateAt, is.StateReason)},
		{"priority", priority(is)},
		{"labels", strings.Join(is.Labels, ", ")},
		{"assignee", is.Assignee},
		{"bot", is.Bot},
		{"bot args", pairsText(is.BotArgs)},
		{"fields", fieldsText(is.Fields)},
		{"parent", is.ParentID},
		{"claim", holdText(f, is)},
		{"awaiting", yes(is.AwaitingInput)},
		{"gave up", gaveUpText(is.GaveUp)},
		{"refused", refusalText(is.LaunchRefusal)},
		{"external", externalText(is.External)},
		{"last run", is.LastRunID},
		{"workspace", is.LastWorkdir},
		{"created", instant(is.CreatedAt)},
		{"updated", instant(is.UpdatedAt)},
	}
	return append(rows, runRows(is)...)
}

// runRows lists the runs before the last one, newest first.
func runRows(is board.Issue) [][2]string {
	var rows [][2]string
	for _, r := range slices.Backward(is.Runs) {
		if r.RunID != is.LastRunID {
			rows = append(rows, [2]string{"earlier", r.RunID + " " + instant(r.At)})
		}
	}
	return rows
}

func since(state string, at time.Time, reason string) string {
	s := state
	if !at.IsZero() {
		s += " since " + instant(at)
	}
	if reason != "" {
		s += " (" + reason + ")"
	}
	return s
}

func holdText(f *Factory, is board.Issue) string {
	if is.Claim == "" {
		return ""
	}
	s := fmt.Sprintf("%s, epoch %d", is.Claim, is.ClaimEpoch)
	if until := is.ClaimLeaseUntil; !until.IsZero() {
		left := until.Sub(f.Now()).Round(time.Second)
		if left < 0 {
			return s + fmt.Sprintf(", lease lapsed %s ago", -left)
		}
		s += fmt.Sprintf(", lease runs %s more", left)
	}
	return s
}

func gaveUpText(g *board.GaveUp) string {
	if g == nil {
		return ""
	}
	return fmt.Sprintf("after %d attempts: %s", g.Attempts, g.Reason)
}

func pairsText(m map[string]string) string {
	any := make(map[string]any, len(m))
	for k, v := range m {
		any[k] = v
	}
	return fieldsText(any)
}

func fieldsText(m map[string]any) string {
	parts := make([]string, 0, len(m))
	for k, v := range m {
		parts = append(parts, fmt.Sprintf("%s=%v", k, v))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}

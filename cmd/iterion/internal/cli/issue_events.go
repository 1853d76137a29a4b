package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

type issueEventsOptions struct {
	follow bool
	since  int64
	types  []string
	issue  string
	limit  int
}

func newIssueEvents(f *Factory) *cobra.Command {
	var o issueEventsOptions
	c := &cobra.Command{
		Use: "events", Short: "Print the board's log", Args: exactly(),
		Long: "Print what happened on the board, oldest first. --json prints one array; with --follow\n" +
			"it prints one object a line, for as long as somebody reads.",
		RunE: func(c *cobra.Command, _ []string) error { return runIssueEvents(c.Context(), f, o) },
	}
	fl := c.Flags()
	fl.BoolVarP(&o.follow, "follow", "f", false, "go on with what happens next")
	fl.Int64Var(&o.since, "since", -1, "only events after this `seq`")
	fl.StringArrayVar(&o.types, "type", nil, "only of this type, repeatable")
	fl.StringVar(&o.issue, "issue", "", "only of the card with this `id`")
	fl.IntVarP(&o.limit, "limit", "n", 0, "at most so many, counted from the newest back")
	completeFlag(c, "type", fixed(eventTypes()...))
	completeFlag(c, "issue", f.completeIDs)
	return c
}

func eventTypes() []string {
	return []string{
		string(board.EventIssueCreated), string(board.EventIssueUpdated), string(board.EventIssueStateChanged),
		string(board.EventIssueDeleted), string(board.EventIssueClaimed), string(board.EventIssueReleased),
		string(board.EventIssueLastRunUpdated), string(board.EventIssueCommentAdded), string(board.EventIssueGaveUp),
		string(board.EventIssueLaunchRefused), string(board.EventIssueBlockersUpdated),
		string(board.EventIssueUnblocked), string(board.EventBoardUpdated),
	}
}

func runIssueEvents(ctx context.Context, f *Factory, o issueEventsOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	b, err := f.Board()
	if err != nil {
		return err
	}
	if o.issue != "" {
		if o.issue, err = eventSubject(ctx, b, o.issue); err != nil {
			return err
		}
	}
	seen, err := printPast(ctx, f, b, o)
	if err != nil || !o.follow {
		return err
	}
	return followEvents(ctx, f, b, o, seen)
}

func (o issueEventsOptions) check() error {
	for _, t := range o.types {
		if !slices.Contains(eventTypes(), t) {
			return &ExitError{Code: ExitUsage, Hint: "the types: " + strings.Join(eventTypes(), ", "),
				Err: fmt.Errorf("unknown event type %q%s", t, didYouMean(t, eventTypes()))}
		}
	}
	if o.since < -1 {
		return Usagef("--since %d: want a seq, or -1 for the beginning", o.since)
	}
	if o.limit < 0 {
		return Usagef("--limit %d: want 0 (all) or more", o.limit)
	}
	return nil
}

// eventSubject resolves a card that may have been deleted since: a full id is
// taken as it is.
func eventSubject(ctx context.Context, b board.Store, ref string) (string, error) {
	id, err := b.Resolve(ctx, ref)
	if err != nil && !strings.Contains(ref, ":") {
		return "", fmt.Errorf("find issue %q: %w", ref, err)
	}
	if err != nil {
		return ref, nil
	}
	return id, nil
}

// printPast prints what is in the log and returns the last seq that it saw.
func printPast(ctx context.Context, f *Factory, b board.Store, o issueEventsOptions) (int64, error) {
	all, err := b.Events(ctx, o.since, 0)
	if err != nil {
		return o.since, fmt.Errorf("read events: %w", err)
	}
	seen := o.since
	if len(all) > 0 {
		seen = all[len(all)-1].Seq
	}
	picked := o.pick(all)
	if o.limit > 0 && len(picked) > o.limit {
		picked = picked[len(picked)-o.limit:]
	}
	if f.Global.JSON && !o.follow {
		return seen, f.PrintJSON(nonNil(picked))
	}
	return seen, printEvents(f, picked)
}

func (o issueEventsOptions) pick(all []board.Event) []board.Event {
	return slices.DeleteFunc(all, func(e board.Event) bool {
		return o.issue != "" && e.IssueID != o.issue ||
			len(o.types) > 0 && !slices.Contains(o.types, string(e.Type))
	})
}

func printEvents(f *Factory, events []board.Event) error {
	for _, e := range events {
		if !f.Global.JSON {
			f.Say("%s", eventLine(e))
			continue
		}
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode event %d: %w", e.Seq, err)
		}
		fmt.Fprintf(f.IO.Out, "%s\n", line)
	}
	return nil
}

func eventLine(e board.Event) string {
	s := fmt.Sprintf("%6d  %s  %-22s", e.Seq, instant(e.Timestamp), e.Type)
	if e.IssueID != "" {
		s += "  " + board.ShortID(e.IssueID)
	}
	return strings.TrimRight(s+"  "+visibleLine(eventDetail(e.Payload)), " ")
}

// eventDetail says in a few words what the payload holds.
func eventDetail(p board.Payload) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	if p.From != "" || p.To != "" {
		parts = append(parts, p.From+" -> "+p.To)
	}
	add("marker", p.Marker)
	add("changed", strings.Join(p.Changed, ","))
	add("run", p.RunID)
	add("blockers", strings.Join(p.Blockers, ","))
	add("closed", p.ClosedBlocker)
	add("reason", p.Reason)
	add("by", p.ByActor)
	add("by run", p.ByRun)
	return strings.Join(parts, ", ")
}

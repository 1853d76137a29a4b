package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

type issueEventsOptions struct {
	follow bool
	since  string
	types  []string
	issue  string
	limit  int

	after int64     // only events with a higher seq
	from  time.Time // only events of then or later
}

func newIssueEvents(f *Factory) *cobra.Command {
	var o issueEventsOptions
	c := &cobra.Command{
		Use: "events", Short: "Print the board's log", Args: exactly(),
		Long: "Print what happened on the board, oldest first. --json prints one array; with --follow\n" +
			"it prints one object a line, for as long as somebody reads. The number of the last event\n" +
			"seen, given to --since, resumes where one stopped, also when old events were archived.",
		Example: "  iterion issue events --since 2h --type issue_state_changed\n" +
			"  iterion issue events -f --since 1041 --json",
		RunE: func(c *cobra.Command, _ []string) error { return runIssueEvents(c.Context(), f, o) },
	}
	fl := c.Flags()
	fl.BoolVarP(&o.follow, "follow", "f", false, "go on with what happens next")
	fl.StringVar(&o.since, "since", "-1", "only events after this seq, or from this `time` on: 2026-11-30, 2026-11-30T09:00:00Z, or 90m, 2h, 7d ago")
	fl.StringArrayVar(&o.types, "type", nil, "only of this type, repeatable")
	fl.StringVar(&o.issue, "issue", "", "only of the card with this `id`")
	fl.IntVarP(&o.limit, "limit", "n", 0, "at most so many, counted from the newest back")
	completeFlag(c, "type", fixed(eventTypes()...))
	completeFlag(c, "issue", f.completeIDs)
	return c
}

func eventTypes() []string {
	var names []string
	for _, t := range board.EventTypes() {
		names = append(names, string(t))
	}
	return names
}

func runIssueEvents(ctx context.Context, f *Factory, o issueEventsOptions) error {
	if err := o.check(f.Now()); err != nil {
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

func (o *issueEventsOptions) check(now time.Time) (err error) {
	for _, t := range o.types {
		if !slices.Contains(eventTypes(), t) {
			return &ExitError{Code: ExitUsage, Hint: "the types: " + strings.Join(eventTypes(), ", "),
				Err: fmt.Errorf("unknown event type %q%s", t, didYouMean(t, eventTypes()))}
		}
	}
	if o.limit < 0 {
		return Usagef("--limit %d: want 0 (all) or more", o.limit)
	}
	o.after, o.from, err = parseSince(o.since, now)
	return err
}

// eventSubject resolves a card that may have been deleted since: a full id is
// taken as it is.
func eventSubject(ctx context.Context, b board.Store, ref string) (string, error) {
	id, err := b.Resolve(ctx, ref)
	if err != nil && !strings.Contains(ref, ":") {
		return "", err
	}
	if err != nil {
		return ref, nil
	}
	return id, nil
}

// eventPage bounds the events that are held at a time.
const eventPage = 4096

// printPast prints what is in the log and returns the last seq that it saw.
func printPast(ctx context.Context, f *Factory, b board.Store, o issueEventsOptions) (int64, error) {
	show := func(events []board.Event) error { return printEvents(f, events) }
	end := func() {}
	if f.Global.JSON && !o.follow {
		out := newIndentedArray(f.IO.Out)
		show = func(events []board.Event) error { return addEvents(out, events) }
		end = out.end
	}
	if o.limit > 0 {
		return showNewest(ctx, b, o, show, end)
	}
	seen, err := eachPage(ctx, b, o.after, func(page []board.Event) error { return show(o.pick(page)) })
	if err == nil {
		end()
	}
	return seen, err
}

// eachPage hands the events behind after to fn, a page at a time, and returns the
// last seq that it saw.
func eachPage(ctx context.Context, b board.Store, after int64, fn func([]board.Event) error) (seen int64, err error) {
	seen = after
	for {
		page, err := b.Events(ctx, seen, eventPage)
		if err != nil {
			return seen, fmt.Errorf("read events: %w", err)
		}
		if len(page) == 0 {
			return seen, nil
		}
		last := len(page) < eventPage
		seen = page[len(page)-1].Seq
		if err := fn(page); err != nil || last {
			return seen, err
		}
	}
}

// showNewest shows the last events that are asked for. It looks for them at the
// log's end, and eight times as far back as long as it has too few.
func showNewest(ctx context.Context, b board.Store, o issueEventsOptions, show func([]board.Event) error, end func()) (int64, error) {
	tip, err := b.Tip(ctx)
	if err != nil {
		return o.after, fmt.Errorf("read events: %w", err)
	}
	for back := int64(max(o.limit, eventPage)); ; back *= 8 {
		var held []board.Event
		from := max(o.after, tip-back)
		seen, err := eachPage(ctx, b, from, func(page []board.Event) error {
			held = append(held, o.pick(page)...)
			held = slices.Clone(held[max(len(held)-o.limit, 0):])
			return nil
		})
		if err != nil {
			return seen, err
		}
		if len(held) < o.limit && from > o.after {
			continue
		}
		err = show(held)
		end()
		return seen, err
	}
}

func addEvents(out *indentedArray, events []board.Event) error {
	for _, e := range events {
		if err := addIndented(out, e); err != nil {
			return fmt.Errorf("event %d: %w", e.Seq, err)
		}
	}
	return nil
}

// addIndented adds a value to an array as PrintJSON would print it.
func addIndented(out *indentedArray, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	out.add(b.Bytes())
	return nil
}

func (o issueEventsOptions) pick(all []board.Event) []board.Event {
	return slices.DeleteFunc(all, func(e board.Event) bool {
		return o.issue != "" && e.IssueID != o.issue ||
			len(o.types) > 0 && !slices.Contains(o.types, string(e.Type)) ||
			e.Timestamp.Before(o.from)
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
	add("label", p.Label)
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

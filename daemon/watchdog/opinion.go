package watchdog

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"iterion/native/board"
)

// Opinion is what the table says of a claim as it stands now.
type Opinion struct {
	Row     string    // of the table
	Do      string    // what is done about it: keep, promote, release, complete, fail, back to the pool, give up
	To      string    // column that the card is filed under; empty: it stays
	Why     string    // with the facts, for people
	RunID   string    // that it rests on; empty: none is recorded
	From    time.Time // when a sweep looks at it first: the end of the lease
	Enabled bool      // the operator wants it done
	// Tended: the dispatcher of this process holds the card and looks after it.
	Tended bool
}

// Opinion says what a sweep would make of a card's claim. Without one, or in a store
// whose claims have no leases, there is nothing to be said. It reads only.
func (w *Watchdog) Opinion(ctx context.Context, is board.Issue) (o Opinion, ok bool, err error) {
	if is.Claim == "" || w.leases == nil || is.ClaimLeaseUntil.IsZero() {
		return Opinion{}, false, nil
	}
	p := pass{Watchdog: w, settings: w.o.Settings()}
	o.From, o.Enabled = is.ClaimLeaseUntil, p.settings.Enabled
	if strings.HasPrefix(is.Claim, Prefix) {
		o.Row, o.Do, o.Enabled = "recovery", string(release), true
		o.Why = "a watchdog is at it, or was and left it"
		return o, true, nil
	}
	if p.schema, err = w.o.Board.Schema(ctx); err != nil {
		return Opinion{}, false, fmt.Errorf("read the board: %w", err)
	}
	found, err := w.o.Oracle.Recorded(ctx, is, is.Fence())
	row, d := decide(facts{
		Issue: is, Since: is.ClaimedAt, Found: found, Err: err,
		Now: latest(time.Now(), is.ClaimLeaseUntil), Settings: p.settings, Schema: p.schema,
	})
	o.Row, o.Do, o.To, o.Why, o.RunID, o.Tended = row, string(d.do), d.to, d.why, found.RunID, found.Tended
	return o, true, nil
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Verdict is the opinion in a sentence.
func (o Opinion) Verdict(now time.Time) string {
	s := fmt.Sprintf("%s (%s): %s", o.Do, o.Row, o.Why)
	if o.To != "" {
		s += "; it goes to " + o.To
	}
	if o.RunID != "" && !strings.Contains(s, o.RunID) {
		s += "; run " + o.RunID
	}
	if now.Before(o.From) {
		s += "; not before the claim ends at " + o.From.UTC().Format(time.RFC3339)
	}
	if !o.Enabled {
		s = "switched off; it would say " + s
	}
	return s
}

// Remedy is what a person does who does not want to wait for the watchdog; empty
// where nothing is amiss.
func (o Opinion) Remedy(issue string) string {
	release := "iterion issue release --force " + issue
	switch o.Row {
	case "tended":
		return ""
	case "live":
		return "iterion runs cancel " + o.RunID
	case "unreadable", "unknown status":
		return "mend the record of run " + cmp.Or(o.RunID, "that the card names") + ", or " + release
	case "paused":
		return "iterion runs show " + o.RunID + " tells what it waits for; or iterion runs cancel " + o.RunID
	case "cancelled":
		return release + ", then iterion issue update " + issue + " --clear-last-run"
	case "doubtful":
		return "end the processes of run " + o.RunID + ", then " + release
	case "armed", "none, fresh":
		return "wait, or " + release
	}
	if o.Enabled {
		return ""
	}
	return "watchdog: {enabled: true} in the daemon's config, or " + release
}

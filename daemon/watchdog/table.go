package watchdog

import (
	"cmp"
	"fmt"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// verb is what is done about a card.
type verb string

const (
	keep     verb = "keep"
	promote  verb = "promote" // give the run its true end, then look again
	release  verb = "release" // where the card stands
	complete verb = "complete"
	fail     verb = "fail"
	pool     verb = "back to the pool"
	giveUp   verb = "give up"
)

// decision is a row's answer.
type decision struct {
	do     verb
	to     string // column to file under; empty: it stays
	reason string // of the filing
	why    string // for people
}

// acts reports whether the decision needs the claim.
func (d decision) acts() bool { return d.do != keep && d.do != promote }

// facts are one expired claim with what is known around it.
type facts struct {
	Issue    board.Issue
	Since    time.Time // when the hold began that expired
	Found    Finding
	Err      error // what is known of the run is nothing
	Now      time.Time
	Settings Settings
	Schema   board.Schema
}

// row is one line of the table: the first that applies decides.
type row struct {
	name string
	when func(f facts) bool
	then func(f facts) decision
}

// table is the whole of what the watchdog knows.
func table() []row {
	return []row{
		{"tended", func(f facts) bool { return f.Found.Tended }, kept("its dispatcher is this one, and alive")},
		{"unreadable", func(f facts) bool { return f.Err != nil }, keptUnread},
		{"live", func(f facts) bool { return f.unended() && f.Found.Live }, kept("its run is alive")},
		{"filed before", facts.filedBefore, released("its run's end was filed, and only the release was missing")},
		{"parked", func(f facts) bool { return !f.inPool() }, kept("it is parked outside of the columns that are worked")},
		{"orphaned", facts.unended, orphaned},
		{"paused", func(f facts) bool { return f.Found.Record.Status.Paused() }, kept("its run is paused")},
		{"cancelled", status(run.Cancelled), kept("its run was cancelled by a person")},
		{"armed", func(f facts) bool { return f.Found.Armed }, kept("its next attempt is due later")},
		{"none, fresh", func(f facts) bool { return f.none() && f.starting() }, kept("its run may be about to start")},
		{"none", facts.none, released("no run is recorded for the claim")},
		{"doubtful", facts.doubtful, kept("processes of its run could not be proven dead")},
		{"moved", facts.moved, released("it was moved since, and stays there")},
		{"gone", func(f facts) bool { return f.Found.Gone }, buried},
		{"finished", status(run.Finished), completed},
		{"never started", facts.neverStarted, pooled},
		{"failed", status(run.Failed), failed},
		{"failed_resumable", status(run.FailedResumable), pooled},
		{"unknown status", func(facts) bool { return true }, keptUnknown},
	}
}

// decide applies the table.
func decide(f facts) (name string, d decision) {
	for _, r := range table() {
		if r.when(f) {
			return r.name, r.then(f)
		}
	}
	panic("watchdog: the table has no last row")
}

// unended: queued or running by its record.
func (f facts) unended() bool {
	s := f.Found.Record.Status
	return !f.Found.Gone && (s == run.Queued || s == run.Running)
}

// none: no run, or only one that had ended before the claim was taken.
func (f facts) none() bool {
	rec := f.Found.Record
	return f.Found.RunID == "" || rec.Status.Final() && rec.FinishedAt.Before(f.Since)
}

// starting: the holder may be between its claim and its launch.
func (f facts) starting() bool {
	lease := cmp.Or(f.Settings.Lease, 15*time.Minute)
	return f.Issue.State == f.Settings.Running && f.Now.Sub(f.Since) < 2*lease
}

// moved: somebody has put the card where it is since its holder last did. A holder
// moves it to the running column alone, and before the run.
func (f facts) moved() bool {
	at, ended := f.Issue.StateAt, f.Found.Record.FinishedAt
	return f.Issue.State != f.Settings.Running && at.After(f.Since) || !ended.IsZero() && at.After(ended)
}

// filedBefore: the holder died between its last move and the release.
func (f facts) filedBefore() bool {
	if f.inPool() || f.Found.Gone || !f.Issue.StateAt.After(f.Since) {
		return false
	}
	switch f.Found.Record.Status {
	case run.Finished:
		return f.Issue.State == f.Settings.Completed
	case run.Failed, run.FailedResumable:
		return f.Issue.State == f.Settings.Failed
	}
	return false
}

// doubtful: something of the run may be alive although its record says that it
// has ended.
func (f facts) doubtful() bool { return f.Found.Record.FailureCode == run.CodeKillUnconfirmed }

// neverStarted: nothing failed but the supervisor, before the bot's first breath.
func (f facts) neverStarted() bool {
	return f.Found.Record.Status == run.Failed && f.Found.Record.FailureCode == run.CodeSupervisorLost
}

// inPool: the card is where the dispatcher takes cards from, or works on them.
func (f facts) inPool() bool {
	return f.Issue.State == f.Settings.Running || eligible(f.Schema, f.Issue.State)
}

func eligible(s board.Schema, name string) bool {
	st, ok := s.State(name)
	return ok && st.Eligible && !st.Terminal
}

// column returns a column that the board has, or nothing.
func (f facts) column(name string) string {
	if _, ok := f.Schema.State(name); !ok {
		return ""
	}
	return name
}

// source is where a card goes that is to be tried again: where it came from, else
// the first column that cards wait in. A card that waits stays.
func (f facts) source() string {
	if f.Issue.State != f.Settings.Running {
		return f.Issue.State
	}
	if s := f.Found.Source; s != f.Settings.Running && eligible(f.Schema, s) {
		return s
	}
	for _, st := range f.Schema.States {
		if st.Name != f.Settings.Running && eligible(f.Schema, st.Name) {
			return st.Name
		}
	}
	return f.Issue.State
}

func status(s run.Status) func(facts) bool {
	return func(f facts) bool { return !f.Found.Gone && f.Found.Record.Status == s }
}

func kept(why string) func(facts) decision {
	return func(facts) decision { return decision{do: keep, why: why} }
}

func released(why string) func(facts) decision {
	return func(facts) decision { return decision{do: release, reason: board.ReasonWatchdog, why: why} }
}

func keptUnread(f facts) decision {
	return decision{do: keep, why: "its run cannot be read: " + f.Err.Error()}
}

func keptUnknown(f facts) decision {
	return decision{do: keep, why: fmt.Sprintf("its run has the unknown status %q", f.Found.Record.Status)}
}

func orphaned(facts) decision { return decision{do: promote, why: "its run lost its supervisor"} }

func completed(f facts) decision {
	return decision{complete, f.column(f.Settings.Completed), board.ReasonRunFinished, "its run finished"}
}

// failed files a failure. Without a column for it the card is tried again.
func failed(f facts) decision {
	to := f.column(f.Settings.Failed)
	if to == "" {
		return pooled(f)
	}
	rec := f.Found.Record
	return decision{fail, to, board.ReasonRunFailed, cmp.Or(rec.Error, rec.FailureCode, "its run failed")}
}

func pooled(f facts) decision {
	return decision{pool, f.source(), board.ReasonWatchdog, "its run did not come to an end of its own and can be tried again"}
}

// buried gives up a card whose run's record is gone: whether its work was done
// nobody knows. Without a column for that, the claim is what keeps it from being
// started again.
func buried(f facts) decision {
	to := f.column(f.Settings.Failed)
	if to == "" {
		return decision{do: keep, why: "the record of its run is gone, and there is no column to give it up in"}
	}
	return decision{giveUp, to, board.ReasonWatchdog, "the record of run " + f.Found.RunID + " is gone: what became of its work is not known"}
}

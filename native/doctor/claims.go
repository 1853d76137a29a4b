package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"iterion/native/board"
	"iterion/native/filelock"
	"iterion/native/run"
)

// dispatcherMarker begins the marker of a daemon's claim; its owner id follows.
const dispatcherMarker = "dispatcher:"

// entry is one element of the claim journal.
type entry struct {
	IssueID string `json:"issue_id"`
	Marker  string `json:"marker"`
	Owner   string `json:"owner"`
	RunID   string `json:"run_id"`

	raw json.RawMessage
}

// journal reads the claim journal and tells of entries that stand for nothing.
func (x *exam) journal() {
	var err error
	if x.claims, err = readJournal(x.l.Claims()); err != nil {
		x.found(x.journalUnreadable(err))
		return
	}
	for _, e := range x.claims {
		if !x.idle(e) {
			continue
		}
		x.found(Finding{ID: "journal-stale", Severity: Warning, Where: fmt.Sprintf("%s, card %s", x.l.Claims(), e.IssueID),
			What:   "the claim journal has an entry of a dead daemon for a card that it does not hold",
			Means:  "the next daemon looks at it for nothing",
			Remedy: "--fix takes the entry out and keeps the old journal aside",
		}.mended(byFiles, func(m *mender) error { return m.dropIdle() }))
	}
}

// idle reports that an entry stands for nothing: its daemon is dead, its run has
// no supervisor, and its card is not held by it.
func (x *exam) idle(e entry) bool {
	if x.ownerAlive(e.Owner) || x.runAlive(e.RunID) {
		return false
	}
	c := readCard(x.l.IssueFile(e.IssueID))
	if present(c.path) && (c.err != nil || c.claim == e.Marker) {
		return false
	}
	return true
}

func readJournal(path string) ([]entry, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var raws []json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &raws)
	}
	entries := make([]entry, len(raws))
	for n, raw := range raws {
		if err == nil {
			err = json.Unmarshal(raw, &entries[n])
		}
		if err == nil && (entries[n].IssueID == "" || entries[n].Owner == "") {
			err = fmt.Errorf("entry %d names no card or no owner", n)
		}
		entries[n].raw = raw
	}
	if err != nil {
		return nil, err
	}
	return entries, nil
}

func (x *exam) journalUnreadable(err error) Finding {
	f := Finding{ID: "journal-unreadable", Severity: Error, Where: x.l.Claims(),
		What:   fmt.Sprintf("the claim journal cannot be read: %v", bare(err)),
		Means:  "no daemon dispatches anything: it may name runs that are alive",
		Remedy: "--fix moves it aside while no daemon and no run is alive; mend it by hand otherwise"}
	if errors.Is(err, fs.ErrPermission) {
		return x.opening(f, x.l.Claims())
	}
	return f.mended(byFiles, func(m *mender) error {
		if _, err := readJournal(x.l.Claims()); err == nil {
			return nil
		}
		if busy, err := x.anyAlive(); err != nil || busy {
			return errors.Join(err, errAtWork)
		}
		return m.aside(x.l.Claims())
	})
}

// anyAlive reports whether a daemon or a run is at work on the store.
func (x *exam) anyAlive() (bool, error) {
	if held, err := filelock.Probe(x.l.DaemonLock()); err != nil || held {
		return held, err
	}
	entries, _ := os.ReadDir(x.l.Owners())
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ownerSuffix); ok && x.ownerAlive(id) {
			return true, nil
		}
	}
	ids, err := run.Open(x.l.Runs(), run.Options{}).IDs()
	return slices.ContainsFunc(ids, x.runAlive), err
}

// runAlive reports whether a run has a supervisor, or that nobody knows.
func (x *exam) runAlive(id string) bool {
	if id == "" || filepath.Base(id) != id {
		return false
	}
	held, err := filelock.Probe(filepath.Join(x.l.Runs(), id, run.LockFile))
	return held || err != nil
}

// claimed looks at who holds the cards.
func (x *exam) claimed() {
	for id, c := range x.cards {
		if c.err == nil && c.claim != "" {
			x.claimOf(id, c)
		}
	}
}

func (x *exam) claimOf(id string, c card) {
	n := slices.IndexFunc(x.claims, func(e entry) bool { return e.IssueID == id && e.Marker == c.claim })
	owner, byDaemon := strings.CutPrefix(c.claim, dispatcherMarker)
	var runID string
	if n >= 0 {
		owner, byDaemon, runID = x.claims[n].Owner, true, x.claims[n].RunID
	}
	expired := !c.lease.IsZero() && c.lease.Before(x.now)
	release := fmt.Sprintf("`iterion issue release %s --force` frees the card", board.ShortID(id))
	switch {
	case !byDaemon && expired:
		x.found(Finding{ID: "claim-expired", Severity: Note, Where: c.path,
			What:   fmt.Sprintf("the claim of %s ran out %s ago", c.claim, x.now.Sub(c.lease).Round(time.Second)),
			Means:  "the card is still theirs; nothing starts it while they hold it",
			Remedy: release})
	case !byDaemon || x.ownerAlive(owner):
	case x.runAlive(runID), c.awaiting:
		x.found(Finding{ID: "claim-carried", Severity: Note, Where: c.path,
			What:   "the daemon that claimed the card is gone, and its run goes on or waits for a person",
			Means:  "nothing is lost; the next daemon takes the card over",
			Remedy: "start one: `iterion daemon`"})
	case !x.claimStands(id, c):
	case n >= 0 && x.daemon == nil:
		x.found(Finding{ID: "claim-unsettled", Severity: Note, Where: c.path,
			What:   "the daemon that claimed the card is gone, and its run has ended",
			Means:  "nothing starts the card before the next daemon has settled it by how the run ended",
			Remedy: "start one: `iterion daemon`; " + release + " as it stands"})
	default:
		x.found(Finding{ID: "claim-owner-dead", Severity: Warning, Where: c.path,
			What:   fmt.Sprintf("the card is claimed by %s, and that daemon is dead", c.claim),
			Means:  "nothing starts the card before the claim is settled",
			Remedy: "a daemon settles it when it starts: `iterion daemon stop`, `iterion daemon`; " + release + " as it stands"})
	}
}

// claimStands looks again: a claim may have been given back since.
func (x *exam) claimStands(id string, c card) bool {
	now := readCard(x.l.IssueFile(id))
	return now.err == nil && now.claim == c.claim
}

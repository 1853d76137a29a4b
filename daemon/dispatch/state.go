package dispatch

import (
	"slices"
	"time"

	"iterion/native/board"
)

// state is all that the actor knows. Only step changes it.
type state struct {
	cfg           Config
	owner, marker string

	booted, draining, stopping bool
	lastStep                   time.Time
	bootAt                     time.Time // when to try to boot again
	bootFails                  int
	bootErr                    string // why the last boot failed
	desired                    Desired
	columns                    columns

	asking   map[string]time.Time // when a run without a card was last refused for want of a slot
	cardsDue bool                 // the last free slot went to a run without a card

	cards    map[string]*card   // every card that is ours, by issue id
	directs  map[string]*direct // runs without a card that go on here, by run id
	retries  map[string]RetryEntry
	ledgerV  int64            // grows with every change of retries of our own
	noted    map[string]int64 // its value at the newest one, by card
	refusals map[string]refusal
	pool     []candidate // of the newest discovery, sorted, without what was started since
	queue    []Queued    // what the newest walk left
	settled  map[string]int64

	tip                 int64           // of the log at the newest discovery
	touched             map[string]bool // started or settled since the discovery under way began
	discovering, wanted bool
	discoverFails       int
	discoverAt          time.Time // not before, after a failure
	lastTick, nextPoll  time.Time // lastTick: when a discovery last came back
	infra               infra
	budget              budget
	lookingAtSpend      bool
	ticks               int64 // discoveries that came back
	thinking            time.Duration

	problems []Problem
	untold   []string        // of problems, not logged yet
	broken   map[string]bool // records that could not be read at the newest discovery
	warnings []string
	waiters  []chan<- error // of StopRuns
}

// card is one card that this dispatcher holds, or is about to claim.
type card struct {
	issue   board.Issue // as last seen
	bot     Bot
	runID   string
	ran     bool // a run of that id was made
	phase   string
	slot    bool   // counts against the caps
	source  string // column that it came from
	placed  string // column that we put it in; the source until we did
	fence   board.Fence
	attempt int
	seq     int64

	since   time.Time
	retryAt time.Time // not before, says the run that failed
	workdir string
	stamped bool // last_run_id names runID

	resumes  string // the run that goes on, while the card is being started
	outcome  int    // outcome_seq of the run as it was last seen
	ended    bool   // the run has ended for sure, and nobody was told yet
	failed   bool   // the run is failed_resumable
	answered bool   // it waits for a person and has the answers
	pause    string // why it is paused_operator
	asks     string // what it asks a person
	wanted   string // who said that it shall go on
	noPause  bool   // its bot turned out not to support that
	goAt     time.Time
	goErrs   int
	waits    *Queued // why it does not go on although it is ready, at the newest walk

	stop     *stopRequest
	lost     bool // the claim is somebody else's now
	away     bool // a person took the card out of the eligible columns
	gone     bool // the card does not exist any more
	probing  bool
	reason   string // of a hold
	holds    int    // grows whenever a hold may end: an older look is not about this one
	heldAt   time.Time
	plan     *plan // while settling
	planAt   time.Time
	planErrs int
}

// refusal remembers that the last look before a claim said no, until the card
// changes, somebody asks for a refresh, or the next poll.
type refusal struct {
	guard, reason string
	updatedAt     time.Time
}

func newState(cfg Config, owner, marker string) *state {
	return &state{
		cfg: cfg, owner: owner, marker: marker,
		cards:    map[string]*card{},
		directs:  map[string]*direct{},
		asking:   map[string]time.Time{},
		retries:  map[string]RetryEntry{},
		refusals: map[string]refusal{},
		touched:  map[string]bool{},
		noted:    map[string]int64{},
		settled:  map[string]int64{},
		tip:      -1,
	}
}

// columns answers questions about the board's schema.
type columns map[string]board.State

func columnsOf(s board.Schema) columns {
	c := make(columns, len(s.States))
	for _, st := range s.States {
		c[st.Name] = st
	}
	return c
}

func (c columns) has(name string) bool      { _, ok := c[name]; return ok }
func (c columns) eligible(name string) bool { return c[name].Eligible && !c[name].Terminal }
func (c columns) terminal(name string) bool { return c[name].Terminal }

func (s *state) slotsUsed() int {
	n := 0
	for _, c := range s.cards {
		if c.slot {
			n++
		}
	}
	for _, d := range s.directs {
		if d.slot() {
			n++
		}
	}
	return n
}

func (s *state) slotsOf(column string) int {
	n := 0
	for _, c := range s.cards {
		if c.slot && c.source == column {
			n++
		}
	}
	return n
}

// starting reports whether some card is between its slot and its run.
func (s *state) starting() bool {
	for _, c := range s.cards {
		if c.starting() {
			return true
		}
	}
	for _, d := range s.directs {
		if d.phase == PhaseLaunching {
			return true
		}
	}
	return false
}

func (c *card) starting() bool {
	switch c.phase {
	case PhaseClaiming, PhasePreparing, PhaseLaunching:
		return true
	}
	return false
}

func (s *state) paused() bool { return s.desired.Desired == DesiredPaused }

const problemsKept = 10

func (s *state) trouble(now time.Time, what string) {
	s.untold = append(s.untold, what)
	s.problems = append([]Problem{{At: now, What: what}}, s.problems...)
	if len(s.problems) > problemsKept {
		s.problems = s.problems[:problemsKept]
	}
}

// tellTrouble logs what went wrong in this step.
func (s *state) tellTrouble() []effect {
	var fx []effect
	for _, what := range s.untold {
		fx = append(fx, logWarning{what})
	}
	s.untold = nil
	return fx
}

// warn adds a warning for the life of the daemon, once.
func (s *state) warn(what string) []effect {
	if slices.Contains(s.warnings, what) {
		return nil
	}
	s.warnings = append(s.warnings, what)
	return []effect{logWarning{what}}
}

func (s *state) entry(c *card, phase string) JournalEntry {
	return JournalEntry{
		IssueID: c.issue.ID, Identifier: board.ShortID(c.issue.ID),
		Marker: c.fence.Marker, Epoch: c.fence.Epoch, ClaimedAt: c.since,
		Owner: s.owner, WorkspaceRoot: s.cfg.WorkspaceRoot,
		Phase: phase, RunID: c.runID,
		SourceState: c.source, Attempt: c.attempt, Seq: c.seq,
	}
}

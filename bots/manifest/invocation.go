package manifest

import "time"

// Invocation is one way in which the bot would like to be started. Which of the
// blocks is set follows from Kind.
type Invocation struct {
	Kind    string // board, schedule, keepalive, command or forge
	Mode    string // direct: launch a run now; board: stamp the bot on the card
	ArgsVar string // var that takes the subject's text
	Line    int    // in the manifest

	// Board is nil for a bot that is a plain dispatch target.
	Board     *OnBoard
	Schedule  *OnSchedule
	Keepalive *OnKeepalive
	Command   *OnCommand
	Forge     *OnForge
}

// OnBoard starts the bot when something happens to a card.
type OnBoard struct {
	On            []string // kinds of event, e.g. card.moved
	ToStates      []string
	AllLabels     []string
	ConsumeLabels bool
}

// OnSchedule proposes a clock.
type OnSchedule struct {
	SuggestedCron string
	DefaultVars   map[string]string
}

// OnKeepalive keeps one run of the bot alive.
type OnKeepalive struct {
	Interval    time.Duration // at least MinKeepalive
	StaleAfter  time.Duration // 0: the gate's default
	DefaultVars map[string]string
}

// OnCommand starts the bot when somebody writes a command in a forge comment.
type OnCommand struct {
	Name           string
	Aliases        []string
	Scope          string // any, issue or pull_request
	MinReplierRole string
	Disambiguator  string
}

// OnForge starts the bot on an event of a forge.
type OnForge struct {
	Event   string
	Actions []string
}

// MinKeepalive is the shortest interval of a keepalive invocation.
const MinKeepalive = 5 * time.Second

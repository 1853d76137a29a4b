package agent

import "time"

// Engine reads the stream of one run of an agent command line. It is used by one
// goroutine at a time.
type Engine interface {
	// Argv returns the command to start. With a session it goes on with that;
	// argv is left as it is. A command that is not the engine's own program (a
	// script of the bot's) is returned unchanged and finds the session in
	// ITERION_SESSION.
	Argv(argv []string, session string) []string
	// Prompt returns what is written to standard input, whole, before the start.
	Prompt(p Prompt) string
	// Read takes one line of standard output without its newline.
	Read(line []byte) Said
	// Note takes one line of standard error without its newline.
	Note(line []byte)
	// End judges the run after the process has exited and all lines were read.
	End(e Exit) Verdict
}

// Start is what an engine is told when a run starts.
type Start struct {
	Session   string  // that is gone on with, empty for a new one
	CostUSD   float64 // totals that the run's record holds already
	TokensIn  int64
	TokensOut int64
	Now       func() time.Time // for reset times that are said as a time of day
	Zone      *time.Location   // of such times; the child is given TZ=UTC
	// RunDir is the folder of the run. A program that confines what its agent may
	// write lets it write there, so that the agent can report; empty: not known.
	RunDir string
}

// Prompt is what a run is to do.
type Prompt struct {
	Task    string            // the bot's var prompt
	Resume  bool              // the session knows the task already
	Answers map[string]string // what a person answered, by question
}

// Said is what one line of a stream means. The zero value means nothing.
type Said struct {
	Log      string // text for the log, without a trailing newline; empty: none
	Progress string // what the agent is doing now, one short line; empty: no news
	Session  string // empty: no news
	// Totals of the run so far; they count when Counted is true.
	Counted   bool
	CostUSD   float64
	TokensIn  int64
	TokensOut int64
	// Over: the stream has said its last word. The process should exit soon; one
	// that lingers is ended. A later line that means something and is not Over
	// takes it back: the agent went on.
	Over bool
}

// Exit is how the process ended.
type Exit struct {
	Code   int    // -1 when a signal ended it
	Signal string // e.g. "SIGKILL"
}

// Class tells failures apart by what to do about them.
type Class string

// The classes of a Verdict. OK is the zero value.
const (
	OK        Class = ""
	Quota     Class = "quota"
	Transient Class = "transient"
	Permanent Class = "permanent"
)

// Verdict is the outcome of a run as its stream and its exit tell it.
type Verdict struct {
	Class   Class
	Code    string    // short upper-case name: QUOTA, THROTTLED, AUTH, LIMIT, CRASHED, …
	Message string    // one sentence for people; empty when OK
	RetryAt time.Time // not before; zero: not said
	Result  string    // the agent's final text, when there is one
	// Rest is text that no line has shown yet, for the log: a stream that comes in
	// pieces may end within a line.
	Rest string
	// NoSession: the session that was to be gone on with does not exist any more.
	// The next life of the run begins a new one.
	NoSession bool
}

// Codes of a Verdict.
const (
	CodeQuota     = "QUOTA"     // the plan's or the account's allowance is used up
	CodeThrottled = "THROTTLED" // too many requests, or the service is overloaded
	CodeAuth      = "AUTH"      // not logged in, or the key is refused
	CodeCredit    = "CREDIT"    // there is no money left to pay with
	CodeModel     = "MODEL"     // no such model, or not for this account
	CodeLimit     = "LIMIT"     // a limit that the bot set itself: turns, money
	CodeUsage     = "USAGE"     // the program refuses its arguments or its configuration
	CodeSession   = "SESSION"   // the session to go on with is gone
	CodeCrashed   = "CRASHED"   // no last word, or the exit contradicts it
	CodeFailed    = "FAILED"    // the agent says that it failed, and nothing of the above
)

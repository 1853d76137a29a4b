package manifest

import (
	"fmt"
	"strings"
	"time"
)

// FileName is the name of a manifest inside its bundle.
const FileName = "manifest.yaml"

// SchemaVersion is the newest schema_version that Parse understands.
const SchemaVersion = 1

// DefaultMaxLog is how many bytes of run.log are kept when the manifest does
// not say.
const DefaultMaxLog = 64 << 20

// Manifest is a parsed manifest.yaml.
type Manifest struct {
	SchemaVersion int
	Name          string // the slug: lower-case letters, digits, - and _
	DisplayName   string
	Icon          string
	Version       string
	Description   string
	WhenToUse     string
	Enabled       bool // true unless the manifest says otherwise
	Run           Run
	Vars          []Var             // in file order
	DispatchVars  map[string]string // var name to template, see Expand
	Retry         Retry
	Invocations   []Invocation
	Forge         map[string]any // kept as it is
	// Ignored names the keys that are not known: those at the top in file order,
	// then those inside vars, retry and invocations, dotted.
	Ignored []string

	nameLine int // where Name stands
}

// Run says how the bot is started and supervised. Exactly one of Command and
// Script is set in a bundle that can be launched.
type Run struct {
	// Command is an argv, run without a shell. A first word with a slash in it
	// that is not absolute is relative to the bundle.
	Command  []string
	Script   string // text for sh -c
	Protocol Protocol
	Timeout  time.Duration // of the whole run; 0: none
	// Stall is how long a run may be silent; nil: the dispatcher's setting, 0: for ever.
	Stall   *time.Duration
	Resume  bool              // a failed run may be continued under the same run id
	Env     map[string]string // literals
	PassEnv []string          // names let through from the environment of whoever launches
	MaxLog  int64             // bytes of run.log that are kept
	// Install says in one line how to get the program that Command begins with;
	// it is shown when that is not found.
	Install string
}

// Protocol is how the bot's stdout is read.
type Protocol string

// The protocols. The last four are streams of agent command lines, see package
// agent.
const (
	Plain    Protocol = "plain" // stdout is log
	JSONL    Protocol = "jsonl" // lines of stdout that are JSON objects with a type are reports
	Claude   Protocol = "claude"
	Codex    Protocol = "codex"
	Gemini   Protocol = "gemini"
	OpenCode Protocol = "opencode"
)

// Protocols returns all of them; the first is what a manifest means that says
// nothing.
func Protocols() []Protocol { return []Protocol{Plain, JSONL, Claude, Codex, Gemini, OpenCode} }

// Agent reports whether the protocol is the stream of an agent command line,
// which takes its task on standard input.
func (p Protocol) Agent() bool { return p != Plain && p != JSONL }

// Launchable returns why a bot with this manifest cannot be started, or nil.
func (m Manifest) Launchable() error {
	switch {
	case !m.Enabled:
		return fmt.Errorf("bot %s is disabled: its manifest says enabled: false", m.Name)
	case len(m.Run.Command) == 0 && m.Run.Script == "":
		return fmt.Errorf("bot %s has no run: block: add run.command (a list) or run.script to its manifest", m.Name)
	}
	return nil
}

// SameSlug reports whether two slugs name the same bot: - and _ count as equal.
func SameSlug(a, b string) bool { return foldSlug(a) == foldSlug(b) }

func foldSlug(s string) string { return strings.ReplaceAll(s, "_", "-") }

// ValidName reports whether s may name a bot: a lower-case letter, then
// lower-case letters, digits, - and _.
func ValidName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z'
		tail := r >= '0' && r <= '9' || r == '-' || r == '_'
		if !letter && (i == 0 || !tail) {
			return false
		}
	}
	return s != ""
}

// CheckName returns an *Error when a bundle's folder or archive, which is what it
// says, does not carry the name of the bot in it.
func (m Manifest) CheckName(file, what, name string) error {
	if SameSlug(m.Name, name) {
		return nil
	}
	return &Error{Problems: []Problem{{File: file, Line: m.nameLine, Key: "name",
		What: fmt.Sprintf("is %q but the %s is %q, name them alike", m.Name, what, name)}}}
}

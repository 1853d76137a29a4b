package exchange

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"

	"iterion/native/board"
)

// Item is one record of an input.
type Item struct {
	Where  string // where it stood: "line 3", "task-7.md"
	Record board.Record
	Err    error // why it could not be read
}

// Options say how the records of another tool become cards.
type Options struct {
	// Schema is the board that they are for.
	Schema board.Schema
	// Columns names the column for a state of the tool, whatever its case.
	Columns map[string]string
	// Project tells apart sources whose ids repeat.
	Project string
}

// Result is what was read.
type Result struct {
	Items []Item
	// Skipped counts what was passed over, by why: "deleted".
	Skipped map[string]int
}

func (r *Result) skip(why string) {
	if r.Skipped == nil {
		r.Skipped = map[string]int{}
	}
	r.Skipped[why]++
}

// Tools returns the names that Read and ReadFolder take.
func Tools() []string { return []string{backlogMD, githubJSON, taskwarrior} }

const (
	backlogMD   = "backlog-md"
	githubJSON  = "github-json"
	taskwarrior = "taskwarrior"
)

// TakesFolder reports whether the tool's export is a folder, for ReadFolder.
func TakesFolder(tool string) bool { return tool == backlogMD }

// Read reads the export of a tool that is one file. An error says that it is no
// such export; a record that is bad by itself is an Item with an Err.
func Read(tool string, in io.Reader, o Options) (Result, error) {
	if err := o.check(); err != nil {
		return Result{}, err
	}
	switch tool {
	case githubJSON:
		return readGitHub(in, o)
	case taskwarrior:
		return readTaskwarrior(in, o)
	}
	return Result{}, fmt.Errorf("%w: %q is not a tool whose file can be read", board.ErrInvalid, tool)
}

func (o Options) check() error {
	for state, column := range o.Columns {
		if err := o.Schema.CheckState(column); err != nil {
			return fmt.Errorf("column for %q: %w", state, err)
		}
	}
	return nil
}

// kind is what a state of another tool comes down to.
type kind int

const (
	open kind = iota
	started
	closed
	abandoned // closed, and nothing was done
)

// column is where the card of a record in that state goes; see the package
// comment.
func (o Options) column(state string, k kind) string {
	for name, column := range o.Columns {
		if strings.EqualFold(name, state) {
			return column
		}
	}
	switch {
	case k == abandoned && o.Schema.Terminal(board.StateBlocked):
		return board.StateBlocked
	case k >= closed && o.Schema.Terminal(board.StateDone):
		return board.StateDone
	case k >= closed:
		if n := slices.IndexFunc(o.Schema.States, func(s board.State) bool { return s.Terminal }); n >= 0 {
			return o.Schema.States[n].Name
		}
	}
	same := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(state)))
	if st, ok := o.Schema.State(same); ok && !st.Eligible && !st.Terminal {
		return same
	}
	return o.Schema.Initial()
}

// idOf makes the id of a card out of what names the record in its tool.
func idOf(parts ...string) string { return "native:" + keyOf(parts...) }

func keyOf(parts ...string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(strings.Join(parts, "\x00"))).String()
}

// text brings line ends to one form.
func text(s string) string { return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s) }

// oneLine makes a title of a text that may have several lines.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"iterion/native/atomicfile"
)

// Mark is what is known of one folder.
type Mark struct {
	IssueID    string    `json:"issue_id"`
	Generation string    `json:"generation"`       // changes when the folder is made anew
	RunID      string    `json:"run_id,omitempty"` // empty: nobody's
	Owner      string    `json:"owner,omitempty"`  // the daemon that prepared it
	At         time.Time `json:"at"`
	// Unfinished: the folder is new and the after_create hook has not succeeded in it.
	Unfinished bool `json:"unfinished,omitempty"`
	// Runs are those that worked in this generation, newest last. A run that goes on
	// must find the folder that it knows.
	Runs []string `json:"runs,omitempty"`
}

// runsKept is how many runs a mark remembers: more than the attempts of a card.
const runsKept = 50

func (m *Mark) remember(runID string) {
	m.Runs = append(slices.DeleteFunc(m.Runs, func(id string) bool { return id == runID }), runID)
	m.Runs = m.Runs[max(0, len(m.Runs)-runsKept):]
}

// readMark returns nil when there is no mark, and an error for one that is there
// and says nothing.
func readMark(path string) (*Mark, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read workspace mark: %w", err)
	}
	m := &Mark{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, &tornMarkError{path, err}
	}
	return m, nil
}

// tornMarkError is a mark that cannot be understood.
type tornMarkError struct {
	path string
	err  error
}

func (e *tornMarkError) Error() string {
	return fmt.Sprintf("workspace mark %s is unreadable: %v", e.path, e.err)
}

// writeMark needs no sync: a power cut ends every process that a mark could
// speak of.
func writeMark(path string, m Mark) error {
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode workspace mark: %w", err)
	}
	if err := atomicfile.WriteFile(path, append(data, '\n'), 0o600, atomicfile.Options{NoFsync: true}); err != nil {
		return fmt.Errorf("write workspace mark: %w", err)
	}
	return nil
}

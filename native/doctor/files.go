package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"iterion/native"
	"iterion/native/board"
	"iterion/native/jsonl"
)

// markName is the store's note of how far the log was read whole.
const markName = ".events.mark"

// files looks at the single files of the dispatcher folder.
func (x *exam) files() {
	x.board()
	x.jsonFile(x.l.Retries(), &[]json.RawMessage{}, Finding{ID: "ledger-unreadable", Severity: Error,
		Means:  "no daemon dispatches anything: the attempts that were spent are not known",
		Remedy: "mend it by hand, or --fix moves it aside; every card then counts its attempts from none"}, true)
	x.jsonFile(x.l.Runtime(), &map[string]json.RawMessage{}, Finding{ID: "intent-unreadable", Severity: Error,
		Means:  "nobody knows whether the operator wants runs to start, so none does",
		Remedy: "start `iterion daemon`; `iterion daemon pause` or `iterion daemon unpause` writes it anew"}, false)
	x.spending()
	x.mark()
	x.index()
}

func (x *exam) board() {
	schema, err := readBoard(x.l.Board())
	if err == nil {
		x.columns = schema.StateNames()
		x.newest.see(schema.UpdatedAt, "the board")
		return
	}
	f := Finding{ID: "board-unreadable", Severity: Error, Where: x.l.Board(),
		What:   fmt.Sprintf("the board cannot be read: %v", bare(err)),
		Means:  "cards can be looked at and not be changed",
		Remedy: "put the file back (git, a backup), or `iterion issue board init --force` writes the default board and keeps the cards"}
	if errors.Is(err, fs.ErrPermission) {
		f = x.opening(f, x.l.Board())
	}
	x.found(f)
}

func readBoard(path string) (board.Schema, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return board.Schema{}, err
	}
	schema, err := board.DecodeSchema(data)
	if err == nil {
		err = schema.Validate()
	}
	return schema, err
}

// jsonFile checks that a file, if it is there, holds what v can take.
func (x *exam) jsonFile(path string, v any, f Finding, movable bool) {
	err := readJSON(path, v)
	if err == nil {
		return
	}
	f.Where, f.What = path, fmt.Sprintf("the file cannot be read: %v", bare(err))
	switch {
	case errors.Is(err, fs.ErrPermission):
		f = x.opening(f, path)
	case movable:
		f = f.mended(byFiles, func(m *mender) error {
			if readJSON(path, v) == nil {
				return nil
			}
			return m.aside(path)
		})
	}
	x.found(f)
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	return err
}

// index checks the index of the cards, which the store makes for itself.
func (x *exam) index() {
	err := native.CheckIndex(x.l)
	if err == nil {
		return
	}
	x.found(Finding{ID: "index-misfit", Severity: Note, Where: x.l.Index(),
		What:   fmt.Sprintf("the index of the cards cannot be used: %v", bare(err)),
		Means:  "listing reads every card until the index is written anew",
		Remedy: "--fix moves it aside; a list makes a new one",
	}.mended(byFiles, func(m *mender) error {
		if native.CheckIndex(x.l) == nil {
			return nil
		}
		return m.aside(x.l.Index())
	}))
}

// mark checks the note that lets a writer find the next seq without reading the
// log. The store checks it as well before it believes it.
func (x *exam) mark() {
	path := x.in(markName)
	if !present(path) || x.markFits(path) {
		return
	}
	x.found(Finding{ID: "mark-misfit", Severity: Note, Where: path,
		What:   "the note of how far the log was read does not fit the log",
		Means:  "each command reads the whole log until the note is written anew",
		Remedy: "--fix moves it aside; the next write makes a new one",
	}.mended(byFiles, func(m *mender) error {
		if x.markFits(path) {
			return nil
		}
		return m.aside(path)
	}))
}

func (x *exam) markFits(path string) bool {
	var m struct {
		End  int64 `json:"end"`
		Last int64 `json:"last"`
	}
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &m) != nil {
		return false
	}
	fits, err := jsonl.EndsWith(x.l.Events(), m.End, m.Last)
	return fits && err == nil
}

package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/board"
)

// schemaFile is board.json and what it held when it was last read. It is looked
// at each time and decoded only when it changed, which spares a writer of many
// cards a third of its work.
type schemaFile struct {
	path string

	mu     sync.Mutex
	as     stat // zero: nothing is remembered
	schema board.Schema
}

// read returns a copy that is the caller's own. Errors: ErrNotFound,
// *UnreadableSchemaError.
func (f *schemaFile) read() (board.Schema, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	began := time.Now()
	as, err := statAt(unix.AT_FDCWD, f.path)
	if err == nil && as == f.as {
		return f.schema.Clone(), nil
	}
	f.as = stat{}
	schema, err := readSchema(f.path)
	if err == nil && as.settled(began) {
		f.as, f.schema = as, schema.Clone()
	}
	return schema, err
}

func readSchema(path string) (board.Schema, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return board.Schema{}, fmt.Errorf("board %s: %w", path, board.ErrNotFound)
	}
	var schema board.Schema
	if err == nil {
		schema, err = board.DecodeSchema(data)
	}
	if err == nil {
		err = schema.Validate()
	}
	if err != nil {
		return board.Schema{}, &board.UnreadableSchemaError{Path: path, Err: err}
	}
	return schema, nil
}

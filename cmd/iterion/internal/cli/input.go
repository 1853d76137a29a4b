package cli

import (
	"fmt"
	"io"
	"os"
)

// maxInput bounds what is read from a file or standard input that a person
// named: a body, a board, vars.
const maxInput = 16 << 20

// readInput reads a file or, for "-", standard input.
func (f *Factory) readInput(name string) ([]byte, error) {
	in := f.IO.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxInput {
		return nil, fmt.Errorf("%s is larger than %d MiB", name, maxInput>>20)
	}
	return data, nil
}

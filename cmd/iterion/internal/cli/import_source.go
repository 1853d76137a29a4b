package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"iterion/native/board"
	"iterion/native/exchange"
)

// importSource is an input that can be gone through again and again. Lines stay
// in their file; another tool's export is held whole.
type importSource struct {
	name    string
	lines   *os.File // nil: items
	items   []exchange.Item
	skipped map[string]int
}

// open opens the input that the command line names.
func (o issueImportOptions) open(f *Factory, args []string, schema board.Schema) (*importSource, error) {
	columns, err := pairs("map", o.columns)
	if err != nil {
		return nil, err
	}
	opts := exchange.Options{Schema: schema, Columns: columns, Project: o.project}
	if exchange.TakesFolder(o.from) {
		dir := append(args, ".")[0]
		return importItems(dir)(exchange.ReadFolder(o.from, dir, opts))
	}
	if len(args) == 0 && f.IO.InTTY {
		return nil, Usagef("name a file, or - for standard input")
	}
	name := append(args, "-")[0]
	in, err := f.openInput(name)
	if err != nil {
		return nil, err
	}
	if o.from == "" {
		return &importSource{name: name, lines: in}, nil
	}
	defer in.Close()
	return importItems(name)(exchange.Read(o.from, in, opts))
}

// openInput opens a file to be read from its beginning as often as one likes: a
// pipe is copied to a temporary file, which has no name any more.
func (f *Factory) openInput(name string) (*os.File, error) {
	in := f.IO.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, Usagef("read import: %w", err)
		}
		info, err := file.Stat()
		if err == nil && info.Mode().IsRegular() {
			return file, nil
		}
		defer file.Close()
		if err == nil && info.IsDir() {
			return nil, Usagef("import %s: it is a folder; --from names the tool whose export that is", name)
		}
		in = file
	}
	return keepInput(name, in)
}

func keepInput(name string, in io.Reader) (*os.File, error) {
	tmp, err := os.CreateTemp("", "iterion-import-*")
	if err != nil {
		return nil, fmt.Errorf("keep the input: %w", err)
	}
	err = os.Remove(tmp.Name())
	if err == nil {
		_, err = io.Copy(tmp, in)
	}
	if err == nil {
		_, err = tmp.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(Usagef("import %s: %w", name, err), tmp.Close())
	}
	return tmp, nil
}

func importItems(name string) func(exchange.Result, error) (*importSource, error) {
	return func(r exchange.Result, err error) (*importSource, error) {
		if err != nil {
			return nil, Usagef("import %s: %w", name, err)
		}
		return &importSource{name: name, items: r.Items, skipped: r.Skipped}, nil
	}
}

// each hands the records to fn. An input that is not what it should be is an
// error of the command line; fn's errors are its own.
func (s *importSource) each(fn func(exchange.Item) error) error {
	if s.lines == nil {
		for _, i := range s.items {
			if err := fn(i); err != nil {
				return err
			}
		}
		return nil
	}
	if _, err := s.lines.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read %s again: %w", s.name, err)
	}
	var own error
	err := exchange.EachLine(s.lines, func(i exchange.Item) error {
		own = fn(i)
		return own
	})
	if err != nil && own == nil {
		return Usagef("import %s: %w", s.name, err)
	}
	return err
}

func (s *importSource) close() {
	if s.lines != nil {
		_ = s.lines.Close() // which was only read
	}
}

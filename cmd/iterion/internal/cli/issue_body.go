package cli

import (
	"context"
	"strings"

	"github.com/spf13/pflag"
)

// bodyFlags are the three ways to give a text: a flag, a file, an editor.
type bodyFlags struct {
	text, file string
	edit       bool
	flags      *pflag.FlagSet
}

func (b *bodyFlags) add(fl *pflag.FlagSet) {
	b.flags = fl
	fl.StringVar(&b.text, "body", "", "body, Markdown")
	fl.StringVarP(&b.file, "body-file", "F", "", "read the body from a `file`; - is standard input")
	fl.BoolVarP(&b.edit, "edit", "e", false, "write the body in $VISUAL or $EDITOR")
}

// read returns the text that was asked for, or nil when none was. old is what
// the editor opens with.
func (b *bodyFlags) read(ctx context.Context, f *Factory, old string) (*string, error) {
	given := 0
	for _, name := range []string{"body", "body-file", "edit"} {
		if b.flags.Changed(name) {
			given++
		}
	}
	if given > 1 {
		return nil, Usagef("--body, --body-file and --edit exclude each other")
	}
	switch {
	case b.flags.Changed("body"):
		return &b.text, nil
	case b.flags.Changed("body-file"):
		return readBody(f, b.file)
	case b.edit:
		return editBody(ctx, f, old)
	}
	return nil, nil
}

func readBody(f *Factory, name string) (*string, error) {
	data, err := f.readInput(name)
	if err != nil {
		return nil, Usagef("--body-file: %w", err)
	}
	text := string(data)
	return &text, nil
}

// editBody lets the user write in an editor.
func editBody(ctx context.Context, f *Factory, old string) (*string, error) {
	text, path, err := f.editText(ctx, "body.md", old)
	defer discard(path)
	if err != nil {
		return nil, err
	}
	text = strings.TrimRight(text, "\n")
	return &text, nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"iterion/native/exchange"
)

// editDraft lets the user edit a draft and hands what came of it to use. A text
// that is empty or left as it was ends the command with nothing done; one that
// is refused is kept, and the error says where.
func (f *Factory) editDraft(ctx context.Context, before exchange.Draft, hints []string, use func(exchange.Draft) error) error {
	old, err := before.Text(hints...)
	if err != nil {
		return err
	}
	text, path, err := f.editText(ctx, "card.md", old)
	if path != "" && (text == old || strings.TrimSpace(text) == "") {
		discard(path)
		return errors.Join(err, &ExitError{Code: ExitFailed, Err: errors.New("nothing done: the text is empty or as it was")})
	}
	if err == nil {
		var d exchange.Draft
		if d, err = exchange.ParseDraft(text); err == nil {
			err = use(d)
		}
	}
	if err != nil && path != "" {
		return kept(err, path)
	}
	discard(path)
	return err
}

// kept adds to an error where the text is that it is about.
func kept(err error, path string) error {
	code, hint := Exit(err)
	if hint != "" {
		hint += "\n"
	}
	return &ExitError{Code: code, Err: err, Hint: hint + "your text is kept in " + path}
}

// editText opens an editor on a text, before any lock is taken. It returns what
// the file holds afterwards, also when the editor failed, and its path in a
// folder of its own, which discard removes; the path is empty when the editor
// was never started.
func (f *Factory) editText(ctx context.Context, name, old string) (text, path string, err error) {
	if !f.IO.InTTY {
		return "", "", Usagef("--edit needs a terminal; use --body-file - to read standard input")
	}
	dir, err := os.MkdirTemp("", "iterion-edit-")
	if err != nil {
		return "", "", fmt.Errorf("edit: %w", err)
	}
	path = filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		discard(path)
		return "", "", fmt.Errorf("edit: %w", err)
	}
	err = f.runEditor(ctx, path)
	data, readErr := os.ReadFile(path)
	return string(data), path, errors.Join(err, readErr)
}

// runEditor waits for the editor. The variable may carry arguments ("code
// --wait"), so that a shell reads it.
func (f *Factory) runEditor(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", f.editor()+` "$1"`, "sh", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = f.IO.In, f.IO.Err, f.IO.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("edit with %s: %w", f.editor(), err)
	}
	return nil
}

func discard(path string) {
	if path != "" {
		_ = os.RemoveAll(filepath.Dir(path))
	}
}

func (f *Factory) editor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if e := f.Env(name); strings.TrimSpace(e) != "" {
			return e
		}
	}
	return "vi"
}

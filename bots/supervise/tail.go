package supervise

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"iterion/native/atomicfile"
)

// tail follows reports.jsonl, which the bot and its children append to.
type tail struct {
	path  string
	at    int64
	lines *lines
}

// more reads what came since the last call.
func (t *tail) more() error {
	f, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read reports: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, nil) // a pipe in its place would never end
	}
	if info.Size() < t.at {
		t.at = 0 // written anew
	}
	return t.readFrom(f)
}

func (t *tail) readFrom(f *os.File) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := f.ReadAt(buf, t.at)
		t.at += int64(n)
		t.lines.add(buf[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read reports: %w", err)
		}
	}
}

// close reads the rest; a last line without a newline counts, since nobody is
// left to finish it. Secrets that the bot wrote down itself are blotted out.
func (t *tail) close(hide *redactor) error {
	err := t.more()
	t.lines.flush()
	return errors.Join(err, t.scrub(hide))
}

func (t *tail) scrub(hide *redactor) error {
	if len(hide.secrets) == 0 {
		return nil
	}
	data, err := os.ReadFile(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("scrub reports: %w", err)
	}
	clean := []byte(hide.clean(string(data)))
	if bytes.Equal(clean, data) {
		return nil
	}
	return atomicfile.WriteFile(t.path, clean, 0o600, atomicfile.Options{NoFsync: true})
}

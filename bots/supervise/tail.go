package supervise

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// atOnce is how long reports are read without looking at anything else.
const atOnce = 50 * time.Millisecond

// tail follows reports.jsonl, which the bot and its children append to. Secrets
// that the bot wrote down itself are overwritten where they stand, by as many
// asterisks, so that nothing moves while somebody appends.
type tail struct {
	path  string
	at    int64 // read so far
	lines *lines
	hide  *redactor

	before []byte // the last bytes before at, in which a secret may begin
}

// done returns how far the file was read in whole lines.
func (t *tail) done() int64 { return t.at - t.lines.open }

// more reads what came since the last call, for a little while. It reports
// whether there is still more to read.
func (t *tail) more() (rest bool, err error) { return t.read(time.Now().Add(atOnce)) }

// close reads the rest; a last line without a newline counts, since nobody is
// left to finish it.
func (t *tail) close() error {
	_, err := t.read(time.Time{})
	t.lines.flush()
	return err
}

// read reads until the end of the file, or until the deadline, if there is one.
func (t *tail) read(deadline time.Time) (rest bool, err error) {
	info, err := os.Stat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read reports: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() == t.at {
		return false, nil // a pipe in its place would never end
	}
	f, err := t.open()
	if err != nil {
		return false, fmt.Errorf("read reports: %w", err)
	}
	defer f.Close()
	if info.Size() < t.at { // written anew
		t.at, t.before = 0, nil
		t.lines.restart()
	}
	return t.readFrom(f, deadline)
}

// open opens the file for writing only where there may be something to overwrite.
func (t *tail) open() (*os.File, error) {
	if len(t.hide.secrets) > 0 {
		f, err := os.OpenFile(t.path, os.O_RDWR, 0)
		if !errors.Is(err, fs.ErrPermission) {
			return f, err
		}
	}
	return os.Open(t.path)
}

func (t *tail) readFrom(f *os.File, deadline time.Time) (rest bool, err error) {
	buf := make([]byte, 64<<10)
	var unclean error
	for {
		n, err := f.ReadAt(buf, t.at)
		if werr := t.scrub(f, buf[:n]); unclean == nil {
			unclean = werr
		}
		t.at += int64(n)
		t.lines.add(buf[:n])
		switch {
		case err == io.EOF:
			return false, unclean
		case err != nil:
			return false, errors.Join(fmt.Errorf("read reports: %w", err), unclean)
		case !deadline.IsZero() && time.Now().After(deadline):
			return true, unclean
		}
	}
}

// scrub overwrites the secrets in a piece of the file that begins at t.at, and
// those that began before it.
func (t *tail) scrub(f *os.File, piece []byte) error {
	if len(t.hide.secrets) == 0 || len(piece) == 0 {
		return nil
	}
	text := slices.Concat(t.before, piece)
	start := t.at - int64(len(t.before))
	t.before = slices.Clone(text[max(0, len(text)-t.hide.longest()+1):])
	from, to := t.hide.mask(text)
	if from == to {
		return nil
	}
	// Nothing but what lies between the first and the last of them: what stands
	// before may have been overwritten already.
	if _, err := f.WriteAt(text[from:to], start+int64(from)); err != nil {
		return fmt.Errorf("scrub reports: %w", err)
	}
	return nil
}

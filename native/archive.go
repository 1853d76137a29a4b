package native

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/board"
	"iterion/native/jsonl"
)

// archiveSize is how many events one archive takes: a reader who comes back to
// the middle of one unpacks its beginning for nothing.
const archiveSize = 16 << 10

// Archived is what ArchiveEvents did.
type Archived struct {
	Events int      `json:"events"` // that left the log
	First  int64    `json:"first"`  // their seq
	Last   int64    `json:"last"`
	Files  []string `json:"files"`
}

// ArchiveEvents moves the oldest events out of the log: those in front of the
// first one that is of the given instant or later, and never the newest of all.
// Errors: board.ErrReadOnly, board.ErrBusy; board.ErrInvalid for a log whose lines
// are not in order; board.ErrConflict when somebody else replaced the log
// meanwhile. Behind any of them the log is what it was.
func (s *Store) ArchiveEvents(ctx context.Context, before time.Time) (Archived, error) {
	if err := s.writable(); err != nil {
		return Archived{}, err
	}
	ordered, _, err := s.log.find(-1)
	if err != nil {
		return Archived{}, err
	}
	if !ordered {
		return Archived{}, fmt.Errorf("%w: the lines of the log %s are not in the order of their seq", board.ErrInvalid, s.l.Events())
	}
	log, err := os.Open(s.l.Events())
	if errors.Is(err, fs.ErrNotExist) {
		return Archived{}, nil
	}
	if err != nil {
		return Archived{}, fmt.Errorf("open the log: %w", err)
	}
	defer log.Close() // kept open: no other file can be taken for it
	cut, err := findCut(ctx, log, before)
	if err != nil || cut.at == 0 {
		return Archived{}, err
	}
	return s.archive(ctx, log, cut)
}

// cut is where the log is parted.
type cut struct {
	at  int64 // offset of the first line that stays
	end int64 // of the full lines, when it was looked for
}

// findCut looks for the place. The events in front of it are all older than
// before, and none of them is younger than the one behind it, so that the log's
// first event still says how far back the log goes. at is 0 where nothing goes.
func findCut(ctx context.Context, log *os.File, before time.Time) (c cut, err error) {
	var newest time.Time
	events := 0
	_, err = jsonl.Read(io.NewSectionReader(log, 0, 1<<62), func(l jsonl.Line) error {
		at, ok := instantOf(l)
		if !ok {
			return ctx.Err()
		}
		if events > 0 && !at.Before(newest) {
			c.at = l.Offset
		}
		if events++; at.After(newest) {
			newest = at
		}
		if !at.Before(before) {
			return jsonl.ErrStop
		}
		return ctx.Err()
	})
	if err == nil && c.at > 0 {
		_, c.end, err = jsonl.LastRecord(log.Name())
		c.end = max(c.at, c.end)
	}
	return c, err
}

func instantOf(l jsonl.Line) (time.Time, bool) {
	var e struct {
		Seq       *int64    `json:"seq"`
		Timestamp time.Time `json:"timestamp"`
	}
	err := json.Unmarshal(l.Data, &e)
	return e.Timestamp, err == nil && e.Seq != nil
}

// archive parts the log; see "Archives" in the package comment.
func (s *Store) archive(ctx context.Context, log *os.File, c cut) (done Archived, err error) {
	w := &archiver{s: s, log: log}
	defer func() { err = errors.Join(err, w.sweep()) }()
	if err := w.writeArchives(ctx, c.at); err != nil {
		return Archived{}, fmt.Errorf("write the archives: %w", err)
	}
	if err := w.copyRest(c); err != nil {
		return Archived{}, fmt.Errorf("copy the rest of the log: %w", err)
	}
	s.crash("archives written")
	if err := s.write(ctx, func(*writer) error { return w.commit() }); err != nil {
		return Archived{}, err
	}
	return w.done, nil
}

// archiver is one archiving on its way.
type archiver struct {
	s      *Store
	log    *os.File
	pieces []piece
	rest   *os.File // the new log
	copied int64    // of the log, into it
	done   Archived
}

// piece is an archive under its temporary name.
type piece struct {
	tmp         string
	first, last int64
}

func (w *archiver) temp(what string) (*os.File, error) {
	return os.CreateTemp(w.s.l.Dispatcher(), atomicfile.TempPrefix+what+"-*") // 0600
}

// writeArchives writes the log up to the offset to, as pieces.
func (w *archiver) writeArchives(ctx context.Context, to int64) error {
	var p *packer
	_, err := jsonl.Read(io.NewSectionReader(w.log, 0, to), func(l jsonl.Line) error {
		seq, isEvent := l.Seq()
		if p != nil && isEvent && p.events == archiveSize {
			if err := w.close(p); err != nil {
				return err
			}
			p = nil
		}
		if p == nil {
			f, err := w.temp("archive")
			if err != nil {
				return err
			}
			p = newPacker(f)
			w.pieces = append(w.pieces, piece{tmp: f.Name(), first: seq})
		}
		if isEvent {
			w.told(seq, p)
		}
		return errors.Join(ctx.Err(), p.copy(w.log, l))
	})
	if p != nil {
		err = errors.Join(err, w.close(p))
	}
	return err
}

// told counts an event of the last piece. Lines that are none go along with the
// events that they stand by.
func (w *archiver) told(seq int64, p *packer) {
	last := &w.pieces[len(w.pieces)-1]
	if p.events == 0 {
		last.first = seq
	}
	if w.done.Events == 0 {
		w.done.First = seq
	}
	last.last, w.done.Last = seq, seq
	p.events++
	w.done.Events++
}

func (w *archiver) close(p *packer) error { return p.close(w.s.o.atomic()) }

// packer writes one archive.
type packer struct {
	f      *os.File
	z      *gzip.Writer
	events int
}

func newPacker(f *os.File) *packer { return &packer{f: f, z: gzip.NewWriter(f)} }

// copy takes a line over as it is, however long.
func (p *packer) copy(log io.ReaderAt, l jsonl.Line) error {
	if l.Data != nil {
		_, err := p.z.Write(l.Data)
		_, nerr := p.z.Write([]byte{'\n'})
		return errors.Join(err, nerr)
	}
	_, err := io.Copy(p.z, io.NewSectionReader(log, l.Offset, l.End-l.Offset))
	return err
}

func (p *packer) close(o atomicfile.Options) error {
	return errors.Join(p.z.Close(), atomicfile.Sync(p.f, o), p.f.Close())
}

// copyRest writes the new log as far as the old one was read.
func (w *archiver) copyRest(c cut) (err error) {
	if w.rest, err = w.temp("log"); err != nil {
		return err
	}
	w.copied = c.at
	return w.copyTo(c.end)
}

// copyTo brings the new log up to the offset end of the old one.
func (w *archiver) copyTo(end int64) error {
	b := bufio.NewWriterSize(w.rest, 1<<18)
	n, err := io.Copy(b, io.NewSectionReader(w.log, w.copied, end-w.copied))
	w.copied += n
	return errors.Join(err, b.Flush(), atomicfile.Sync(w.rest, w.s.o.atomic()))
}

// commit gives the archives their names and the log its new content. The caller
// holds the writer lock.
func (w *archiver) commit() error {
	was, err := w.log.Stat()
	if err != nil {
		return err
	}
	is, err := os.Stat(w.s.l.Events())
	if err != nil || !os.SameFile(was, is) {
		return errors.Join(err, fmt.Errorf("%w: somebody else replaced the log meanwhile", board.ErrConflict))
	}
	if err := w.copyTo(was.Size()); err != nil {
		return fmt.Errorf("copy the rest of the log: %w", err)
	}
	if err := w.name(); err != nil {
		return fmt.Errorf("name the archives: %w", err)
	}
	w.s.crash("archives named")
	if err := os.Rename(w.rest.Name(), w.s.l.Events()); err != nil {
		return err
	}
	w.s.crash("log cut")
	w.s.log.forget()
	_ = os.Remove(w.s.l.logMark()) // it was about the old log
	if err := atomicfile.SyncDir(w.s.l.Dispatcher(), w.s.o.atomic()); err != nil {
		return fmt.Errorf("%w: cut the log: %w", board.ErrAmbiguous, err)
	}
	return nil
}

// name also makes the names durable, before the log lets go of the lines.
func (w *archiver) name() error {
	if err := w.unname(); err != nil {
		return err
	}
	for _, p := range w.pieces {
		to := w.s.l.archive(p.first, p.last)
		if err := os.Rename(p.tmp, to); err != nil {
			return err
		}
		w.done.Files = append(w.done.Files, filepath.Base(to))
	}
	return atomicfile.SyncDir(w.s.l.Dispatcher(), w.s.o.atomic())
}

// unname turns archives that were left by an archiving that was cut off, whose
// lines are all in the log still, into temporary files.
func (w *archiver) unname() error {
	all, err := w.s.l.Archives()
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.First < w.done.First {
			continue
		}
		left := filepath.Join(w.s.l.Dispatcher(), atomicfile.TempPrefix+"left-"+filepath.Base(a.Path))
		if err := os.Rename(a.Path, left); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes the temporary files that got no name.
func (w *archiver) sweep() error {
	var all error
	names := []string{}
	for _, p := range w.pieces {
		names = append(names, p.tmp)
	}
	if w.rest != nil {
		all = w.rest.Close()
		names = append(names, w.rest.Name())
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

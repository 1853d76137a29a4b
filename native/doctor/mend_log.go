package doctor

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"iterion/native/atomicfile"
)

// readLog reads the log, if there is something to mend in it, outside of the
// lock: it reads it whole. Nil when there is nothing.
func (m *mender) readLog(rep Report) *exam {
	if !wants(rep, byLog) && !wants(rep, byLock) {
		return nil
	}
	x := newExam(m.x.o)
	x.log.last = map[string]last{}
	x.log.file, _ = os.Stat(x.l.Events())
	_ = x.scanLog() // it is told when it is gone on with
	return x
}

// trimLog moves the lines of the log aside that are no events, and those that are
// there a second time. Every other byte stays as it is. x has read the log
// already, and only reads what has come since.
func (m *mender) trimLog(x *exam) error {
	if is, err := os.Stat(x.l.Events()); err != nil || !os.SameFile(is, x.log.file) {
		x.log = logFacts{last: map[string]last{}} // somebody else mended it meanwhile
	}
	if err := x.scanLog(); err != nil {
		return err
	}
	spans := x.log.junk
	if _, twice := irregular(slices.Sorted(slices.Values(x.log.seqs))); len(twice) > 0 {
		copies, _, err := x.compare(twice)
		if err != nil {
			return err
		}
		spans = append(spans, copies...)
	}
	if len(spans) == 0 {
		return nil
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.offset, b.offset) })
	return m.splitLog(spans)
}

// splitLog writes the lines to go and the log without them, in this order: cut
// short in between, a line is in both places and found again.
func (m *mender) splitLog(spans []span) error {
	log, err := os.Open(m.x.l.Events())
	if err != nil {
		return err
	}
	defer log.Close()
	to, err := m.place(m.x.l.Events())
	if err != nil {
		return err
	}
	if err := m.copySpans(log, spans, to); err != nil {
		return fmt.Errorf("keep the lines: %w", err)
	}
	info, err := log.Stat()
	if err != nil {
		return err
	}
	if err := m.copySpans(log, others(spans, info.Size()), m.x.l.Events()); err != nil {
		return fmt.Errorf("write the log: %w", err)
	}
	m.did("moved %d lines of the log to %s", len(spans), to)
	return nil
}

// others returns what lies between the spans of a file of the given size.
func others(spans []span, size int64) []span {
	var rest []span
	at := int64(0)
	for _, s := range spans {
		if s.offset > at {
			rest = append(rest, span{at, s.offset})
		}
		at = s.end
	}
	if at < size {
		rest = append(rest, span{at, size})
	}
	return rest
}

// copySpans replaces the file path by pieces of another one.
func (m *mender) copySpans(from io.ReaderAt, spans []span, path string) error {
	tmp, err := os.CreateTemp(m.x.l.Staging(), atomicfile.TempPrefix+"*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	defer tmp.Close()
	for _, s := range spans {
		if _, err := io.Copy(tmp, io.NewSectionReader(from, s.offset, s.end-s.offset)); err != nil {
			return err
		}
	}
	if err := atomicfile.Sync(tmp, m.o); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(path), m.o)
}

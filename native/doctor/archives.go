package doctor

import (
	"fmt"
	"math"

	"iterion/native"
	"iterion/native/jsonl"
)

// readArchives reads the events that have left the log, as if they were in it.
func (x *exam) readArchives() {
	all, err := x.l.Archives()
	if err != nil {
		return // the tree tells of a folder that cannot be read
	}
	begins := x.logBegins()
	for _, a := range all {
		if a.First >= begins {
			x.archiveLeft(a)
			continue
		}
		if err := a.Scan(func(l jsonl.Line) error { x.archivedLine(l, a, begins); return nil }); err != nil {
			x.archiveUnreadable(a, err)
		}
	}
}

// logBegins is the seq of the log's first event; an empty log begins behind
// everything.
func (x *exam) logBegins() int64 {
	begins := int64(math.MaxInt64)
	_, _ = jsonl.Scan(x.l.Events(), 0, func(l jsonl.Line) error { // whose trouble is told when all is read
		seq, ok := l.Seq()
		if !ok {
			return nil
		}
		begins = seq
		return jsonl.ErrStop
	})
	return begins
}

// archivedLine takes a line that the log does not have. One that is no event was
// torn when it was in the log, and is nobody's loss.
func (x *exam) archivedLine(l jsonl.Line, a native.Archive, begins int64) {
	if seq, ok := l.Seq(); ok && seq >= a.First && seq <= a.Last && seq < begins {
		x.line(l)
	}
}

func (x *exam) archiveUnreadable(a native.Archive, err error) {
	x.found(Finding{ID: "archive-unreadable", Severity: Warning, Where: a.Path,
		What:   fmt.Sprintf("the archive of the events %d to %d cannot be read to its end: %v", a.First, a.Last, bare(err)),
		Means:  "that part of the history is not told; the cards are what they are, and the numbering goes on",
		Remedy: "put the file back from a backup, or give it back to the store's owner"})
}

// archiveLeft tells of an archive whose events are still in the log.
func (x *exam) archiveLeft(a native.Archive) {
	x.found(Finding{ID: "archive-left", Severity: Note, Where: a.Path,
		What:   "an archiving was cut off before the log let go of these events",
		Means:  "nothing; the log still has them, and the file takes room",
		Remedy: "--fix moves it aside; archiving again makes a new one",
	}.mended(byFiles, func(m *mender) error {
		if a.First < m.x.logBegins() {
			return nil
		}
		return m.aside(a.Path)
	}))
}

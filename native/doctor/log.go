package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"iterion/native/jsonl"
)

// logFacts is what the log says.
type logFacts struct {
	read   bool        // all of it was
	file   fs.FileInfo // that was read; only while mending
	events int
	end    int64           // behind the last full line that was looked at
	begins time.Time       // of the first event
	first  int64           // its seq
	seqs   []int64         // in the order of the lines
	last   map[string]last // the last event of each card
	junk   []span          // lines that are no events
}

// last is the last event of a card.
type last struct {
	seq     int64
	at      time.Time
	deleted bool
}

// span is a line of the log.
type span struct {
	offset, end int64
}

// event is as much of an event as the checks need.
type event struct {
	Seq       *int64          `json:"seq"`
	Timestamp time.Time       `json:"timestamp"`
	Type      string          `json:"type"`
	IssueID   string          `json:"issue_id"`
	Payload   json.RawMessage `json:"payload"`
}

func (x *exam) readLog() {
	x.log.last = map[string]last{}
	x.readArchives()
	if err := x.scanLog(); err != nil {
		x.logUnreadable(err)
		return
	}
	x.log.read = true
	x.tornTail()
	x.junk()
	x.sequence()
}

// scanLog goes on where it stopped.
func (x *exam) scanLog() error {
	end, err := jsonl.Scan(x.l.Events(), x.log.end, func(l jsonl.Line) error {
		x.line(l)
		return nil
	})
	x.log.end = end
	return err
}

func (x *exam) line(l jsonl.Line) {
	var e event
	if len(l.Data) == 0 && l.End == l.Offset+1 {
		return // an empty line says nothing, and hides nothing
	}
	if json.Unmarshal(l.Data, &e) != nil || e.Seq == nil {
		x.oddLine(l)
		return
	}
	if x.log.events == 0 {
		x.log.begins, x.log.first = e.Timestamp, *e.Seq
	}
	x.log.events++
	x.log.seqs = append(x.log.seqs, *e.Seq)
	if e.Timestamp.After(x.newest.at) {
		x.newest.see(e.Timestamp, fmt.Sprintf("event %d of the log", *e.Seq))
	}
	if was, ok := x.log.last[e.IssueID]; e.IssueID != "" && (!ok || *e.Seq >= was.seq) {
		x.log.last[e.IssueID] = last{*e.Seq, e.Timestamp, e.Type == typeDeleted}
	}
}

// oddLine tells a line that is no event from an event of another make.
func (x *exam) oddLine(l jsonl.Line) {
	seq, ok := l.Seq()
	if !ok {
		x.log.junk = append(x.log.junk, span{l.Offset, l.End})
		return
	}
	x.log.events++
	x.log.seqs = append(x.log.seqs, seq)
	x.found(Finding{ID: "log-event-foreign", Severity: Warning, Where: fmt.Sprintf("%s, event %d", x.l.Events(), seq),
		What:   "an event is written in a way that this version does not understand",
		Means:  "readers pass over it; its card may look changed without an event",
		Remedy: "use the version that wrote it; the line is left as it is"})
}

func (x *exam) logUnreadable(err error) {
	f := Finding{ID: "log-unreadable", Severity: Error, Where: x.l.Events(),
		What:   fmt.Sprintf("the event log cannot be read: %v", err),
		Means:  "nothing can be written to this store, for nobody knows the next seq",
		Remedy: "put the file back from a backup, or give it back to the store's owner"}
	switch {
	case isDir(x.l.Events()):
		f.Remedy = "--fix moves the folder in its place aside; the log then begins anew"
		f = f.mended(byOwner, func(m *mender) error {
			if !isDir(x.l.Events()) {
				return nil
			}
			return m.aside(x.l.Events())
		})
	case errors.Is(err, fs.ErrPermission):
		f = x.opening(f, x.l.Events())
	}
	x.found(f)
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// tornTail looks for a last line without its newline.
func (x *exam) tornTail() {
	size, torn := tail(x.l.Events())
	if !torn {
		return
	}
	time.Sleep(settling)
	if again, torn := tail(x.l.Events()); !torn || again != size || x.writing() {
		return
	}
	x.found(Finding{ID: "log-torn-tail", Severity: Warning, Where: fmt.Sprintf("%s, byte %d", x.l.Events(), x.log.end),
		What:   "the log ends in half a line",
		Means:  "a write was cut off; readers pass over it and the next writer closes it off",
		Remedy: "--fix closes it off, and moves it aside if it is no event",
	}.mended(byLock, nil))
}

// tail returns the size of a log and whether its last line lacks the newline.
func tail(path string) (size int64, torn bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, false
	}
	var end [1]byte
	_, err = f.ReadAt(end[:], info.Size()-1)
	return info.Size(), err == nil && end[0] != '\n'
}

// junk tells of the lines that are no events. Each write that was cut off leaves
// one behind.
func (x *exam) junk() {
	for _, s := range x.log.junk {
		x.found(Finding{ID: "log-line-unreadable", Severity: Warning, Where: fmt.Sprintf("%s, byte %d", x.l.Events(), s.offset),
			What:   fmt.Sprintf("a line of %d bytes is no event", s.end-s.offset-1),
			Means:  "readers pass over it; no event is missing unless a gap is told as well",
			Remedy: "--fix moves the line aside",
		}.mended(byLog, nil))
	}
}

package native

import (
	"encoding/json"
	"os"

	"iterion/native/atomicfile"
	"iterion/native/jsonl"
)

// logMark vouches for the beginning of the log, which was read whole once.
type logMark struct {
	End     int64 `json:"end"`     // it was read up to here
	Last    int64 `json:"last"`    // seq of the record that ends there
	High    int64 `json:"high"`    // highest seq before End
	Ordered bool  `json:"ordered"` // each seq was higher than the one before
}

// marked returns a mark that fits the log, reading the log whole when there is
// none. The caller holds g.mu.
func (g *eventLog) marked() (logMark, error) {
	if g.mark != nil {
		return *g.mark, nil
	}
	m, ok := g.loadMark()
	if !ok {
		var err error
		if m, err = readWhole(g.l.Events()); err != nil {
			return m, err
		}
		g.keep = m.End > 0
	}
	g.mark = &m
	return m, nil
}

func (g *eventLog) loadMark() (logMark, bool) {
	var m logMark
	data, err := os.ReadFile(g.l.logMark())
	if err != nil || json.Unmarshal(data, &m) != nil || m.End <= 0 {
		return m, false
	}
	fits, err := jsonl.EndsWith(g.l.Events(), m.End, m.Last)
	return m, err == nil && fits
}

// saveMark keeps a new mark for the next process. The caller holds the writer
// lock. Failing costs that process a longer look, so nobody is told.
func (g *eventLog) saveMark() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.keep || g.mark == nil {
		return
	}
	g.keep = false
	if data, err := json.Marshal(g.mark); err == nil {
		o := atomicfile.Options{NoFsync: true, TempDir: g.l.Staging()}
		_ = atomicfile.WriteFile(g.l.logMark(), data, 0o600, o)
	}
}

func readWhole(path string) (logMark, error) {
	m := logMark{Last: -1, High: -1, Ordered: true}
	_, err := jsonl.Scan(path, 0, func(l jsonl.Line) error {
		seq, ok := l.Seq()
		if !ok {
			return nil
		}
		m.Ordered = m.Ordered && seq > m.High
		m.End, m.Last, m.High = l.End, seq, max(m.High, seq)
		return nil
	})
	return m, err
}

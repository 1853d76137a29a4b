package run

import (
	"io/fs"
	"os"
)

// maxCached is the largest run.json that is kept in memory, in bytes.
const maxCached = 16 << 10

// settled is a record that had ended, and the file that it was read from. Every
// save makes a new file, so the same file means the same record.
type settled struct {
	info fs.FileInfo
	rec  Record
}

// cached returns a record that was read before, if its file is still the same.
// It keeps listing a long history at the price of one stat a run.
func (d *Dir) cached(id string, info fs.FileInfo) (Record, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.final[id]
	if !ok || !os.SameFile(s.info, info) || !s.info.ModTime().Equal(info.ModTime()) || s.info.Size() != info.Size() {
		return Record{}, false
	}
	return s.rec, true
}

func (d *Dir) remember(id string, info fs.FileInfo, rec Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if rec.Status.Final() && info.Size() <= maxCached {
		d.final[id] = settled{info: info, rec: rec}
		return
	}
	delete(d.final, id)
}

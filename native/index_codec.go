package native

import (
	"encoding/binary"
	"hash/crc32"
	"time"

	"iterion/native/board"
)

// indexHead is the beginning of the index, of fixed size.
type indexHead struct {
	dir     stat  // of the folder of the cards when the index named each of them, or zero
	count   int   // entries
	lists   int   // strings in the lists of all entries together
	at      int64 // the table of the entries lies from here to the end
	size    int64
	tableOK uint32 // checksum of the table
}

const (
	// indexMagic changes with every change of the format: an index of another
	// version is no index.
	indexMagic    = "iterion card index 2\n"
	indexWords    = 9
	indexHeadSize = len(indexMagic) + 8*indexWords + 4 + 4
)

func (h indexHead) encode() []byte {
	b := []byte(indexMagic)
	for _, n := range [indexWords]int64{
		int64(h.dir.ino), h.dir.size, int64(h.dir.mode), h.dir.mtime, h.dir.ctime,
		int64(h.count), int64(h.lists), h.at, h.size,
	} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	b = binary.LittleEndian.AppendUint32(b, h.tableOK)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli()))
}

// decodeHead reports whether b is the head of an index in a file of that size.
func decodeHead(b []byte, size int64) (h indexHead, ok bool) {
	if len(b) != indexHeadSize || string(b[:len(indexMagic)]) != indexMagic {
		return h, false
	}
	end := len(b) - 4
	if binary.LittleEndian.Uint32(b[end:]) != crc32.Checksum(b[:end], castagnoli()) {
		return h, false
	}
	n := b[len(indexMagic):]
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(n[8*i:])) }
	h = indexHead{
		dir:   stat{ino: uint64(word(0)), size: word(1), mode: uint32(word(2)), mtime: word(3), ctime: word(4)},
		count: int(word(5)), lists: int(word(6)), at: word(7), size: word(8),
		tableOK: binary.LittleEndian.Uint32(n[8*indexWords:]),
	}
	return h, h.at >= int64(indexHeadSize) && h.size >= 0 && h.at+h.size == size &&
		h.count >= 0 && int64(h.count) <= h.size && h.lists >= 0 && int64(h.lists) <= h.size
}

// appendEntry adds the line of an entry whose content lies at c to the table.
func appendEntry(b []byte, e *entry, c content) []byte {
	b = binary.AppendUvarint(b, e.as.ino)
	b = binary.AppendUvarint(b, uint64(e.as.mode))
	for _, n := range []int64{e.as.size, e.as.mtime, e.as.ctime, c.at, int64(c.size), int64(c.sum), int64(e.facts.Priority)} {
		b = binary.AppendVarint(b, n)
	}
	for _, t := range []time.Time{e.facts.CreatedAt, e.facts.UpdatedAt} {
		b = appendTime(b, t)
	}
	f := &e.facts
	for _, s := range []string{f.ID, f.Title, f.State, f.Assignee, f.Bot, f.Claim} {
		b = appendString(b, s)
	}
	if f.Claim != "" {
		b = appendTime(b, f.LeaseUntil)
	}
	for _, list := range [][]string{f.Labels, f.Blockers} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, s := range list {
			b = appendString(b, s)
		}
	}
	return b
}

func appendTime(b []byte, t time.Time) []byte {
	return binary.AppendUvarint(binary.AppendVarint(b, t.Unix()), uint64(t.Nanosecond()))
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// tableReader reads the table. All strings share its memory, and so do all lists.
type tableReader struct {
	s     string
	at    int
	lists []string
	bad   bool
}

func (r *tableReader) uint() (n uint64) {
	for shift := 0; r.at < len(r.s) && shift < 64; shift += 7 {
		c := r.s[r.at]
		r.at++
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
	r.bad = true
	return 0
}

func (r *tableReader) int() int64 {
	n := r.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *tableReader) string() string {
	n := r.uint()
	if n > uint64(len(r.s)-r.at) {
		r.bad = true
		return ""
	}
	from := r.at
	r.at += int(n)
	return r.s[from:r.at]
}

func (r *tableReader) list() []string {
	n := r.uint()
	if n == 0 || n > uint64(cap(r.lists)-len(r.lists)) {
		r.bad = r.bad || n > 0
		return nil
	}
	from := len(r.lists)
	for range n {
		r.lists = append(r.lists, r.string())
	}
	return r.lists[from:len(r.lists):len(r.lists)]
}

func (r *tableReader) time() time.Time {
	sec, nsec := r.int(), r.uint()
	return time.Unix(sec, int64(nsec)).UTC()
}

func (r *tableReader) entry(e *entry) {
	e.as.ino, e.as.mode = r.uint(), uint32(r.uint())
	e.as.size, e.as.mtime, e.as.ctime = r.int(), r.int(), r.int()
	e.at, e.size, e.sum = r.int(), int(r.int()), uint32(r.int())
	e.facts.Priority = int(r.int())
	e.facts = board.Facts{
		Priority: e.facts.Priority, CreatedAt: r.time(), UpdatedAt: r.time(),
		ID: r.string(), Title: r.string(), State: r.string(), Assignee: r.string(), Bot: r.string(), Claim: r.string(),
	}
	if e.facts.Claim != "" {
		e.facts.LeaseUntil = r.time()
	}
	e.facts.Labels, e.facts.Blockers = r.list(), r.list()
}

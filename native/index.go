package native

import (
	"bufio"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"iterion/native/atomicfile"
)

// openIndex opens the index at path and reads its head. The file may be replaced
// at any time: what was opened stays as it is. It returns no file where there is
// no index that can be used.
func openIndex(path string) (*os.File, indexHead) {
	f, err := os.Open(path)
	if err != nil {
		return nil, indexHead{}
	}
	h, ok := readHead(f)
	if !ok {
		f.Close()
		return nil, indexHead{}
	}
	return f, h
}

func readHead(f *os.File) (indexHead, bool) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return indexHead{}, false
	}
	head := make([]byte, indexHeadSize)
	if _, err := f.ReadAt(head, 0); err != nil {
		return indexHead{}, false
	}
	return decodeHead(head, info.Size())
}

func readTable(f *os.File, h indexHead) ([]entry, bool) {
	var table strings.Builder
	table.Grow(int(h.size))
	sum := crc32.New(castagnoli())
	_, err := io.Copy(io.MultiWriter(&table, sum), io.NewSectionReader(f, h.at, h.size))
	if err != nil || sum.Sum32() != h.tableOK {
		return nil, false
	}
	r := tableReader{s: table.String(), lists: make([]string, 0, h.lists)}
	entries := make([]entry, h.count)
	for n := range entries {
		e := &entries[n]
		r.entry(e)
		e.pos = n
		if r.bad || e.at < 0 || e.size <= 0 || e.at > h.at || int64(e.size) > h.at-e.at {
			return nil, false
		}
	}
	return entries, r.at == len(r.s)
}

// tempIndex begins the name of an index on its way.
const tempIndex = atomicfile.TempPrefix + "index-"

// writeIndex makes an index of the entries, in their order, the one at path. It
// returns the open file and where the content of each entry lies in it; a size
// of 0 stands for a content that could not be read. from is the index that some
// of them lie in until now. dir is the folder of the cards, where the entries
// name each of them. There is no sync: an index that a power cut damaged is
// noticed by its checksums.
func writeIndex(path string, entries []*entry, from *os.File, dir stat) (*os.File, []content, error) {
	f, err := os.CreateTemp(filepath.Dir(path), tempIndex)
	if err != nil {
		return nil, nil, err
	}
	placed, err := fillIndex(f, entries, from, dir)
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	sweepIndexes(filepath.Dir(path))
	return f, placed, nil
}

// fillIndex writes the contents, then the table, then the head.
func fillIndex(f *os.File, entries []*entry, from *os.File, dir stat) ([]content, error) {
	w := bufio.NewWriterSize(f, windowSize)
	if _, err := w.Write(make([]byte, indexHeadSize)); err != nil {
		return nil, err
	}
	h := indexHead{dir: dir, at: int64(indexHeadSize)}
	placed := make([]content, len(entries))
	in := window{file: from}
	var table []byte
	for n, e := range entries {
		data, err := in.bytes(&e.content)
		if err != nil {
			h.dir = stat{} // it is read from its file at the next look
			continue
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
		placed[n] = content{at: h.at, size: len(data), sum: crc32.Checksum(data, castagnoli())}
		table = appendEntry(table, e, placed[n])
		h.count++
		h.at += int64(len(data))
		h.lists += len(e.facts.Labels) + len(e.facts.Blockers)
	}
	h.size, h.tableOK = int64(len(table)), crc32.Checksum(table, castagnoli())
	if _, err := w.Write(table); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	_, err := f.WriteAt(h.encode(), 0)
	return placed, err
}

// sweepIndexes removes what killed processes left of theirs.
func sweepIndexes(dir string) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, n := range names {
		if !strings.HasPrefix(n.Name(), tempIndex) {
			continue
		}
		if info, err := n.Info(); err == nil && time.Since(info.ModTime()) > time.Minute {
			_ = os.Remove(filepath.Join(dir, n.Name()))
		}
	}
}

// window reads contents of an index in the order in which they lie there with
// few system calls.
type window struct {
	file *os.File
	buf  []byte
	at   int64
}

const windowSize = 1 << 18

// bytes returns a content that is valid until the next call.
func (w *window) bytes(c *content) ([]byte, error) {
	if c.data != nil {
		return c.data, nil
	}
	end := w.at + int64(len(w.buf))
	if c.at < w.at || c.at+int64(c.size) > end {
		if err := w.move(c, c.at >= w.at && c.at <= end+windowSize/4); err != nil {
			return nil, err
		}
	}
	data := w.buf[c.at-w.at:][:c.size]
	if crc32.Checksum(data, castagnoli()) != c.sum {
		return nil, errIndex
	}
	return data, nil
}

// move reads the content and, where contents are asked for in order, what
// follows it.
func (w *window) move(c *content, inOrder bool) error {
	size := c.size
	if inOrder {
		size = max(size, windowSize)
	}
	if cap(w.buf) < size {
		w.buf = make([]byte, size)
	}
	n, err := w.file.ReadAt(w.buf[:size], c.at)
	w.buf, w.at = w.buf[:n], c.at
	if n < c.size {
		w.buf = w.buf[:0]
		return errors.Join(errIndex, err)
	}
	return nil
}

package native

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/board"
)

// entry is what is remembered of one card file. An entry never changes but for
// where its content lies, so that the same entry means the same content.
type entry struct {
	as    stat
	facts board.Facts
	pos   int // in the order of the index, or notIndexed
	content
}

const notIndexed = -1

// content is a card in the form of EncodeIssue: in memory, or in the index.
type content struct {
	data []byte
	at   int64 // offset and length in the index, where data is nil
	size int
	sum  uint32
}

// stat tells two contents of one file apart. Cards are replaced by rename, so a
// new content nearly always has another inode; and no program can set back the
// time of the inode's change.
type stat struct {
	ino          uint64
	size         int64
	mode         uint32
	mtime, ctime int64 // nanoseconds since 1970
}

// settledAfter is the age from which on a file's times tell every change: file
// systems stamp with the clock of the kernel's tick, and inodes are used again.
const settledAfter = 100 * time.Millisecond

// settled reports whether a file that looked like this at now, and was read
// after that, cannot have changed since without looking otherwise.
func (s stat) settled(now time.Time) bool {
	return s.ino != 0 && now.UnixNano()-max(s.mtime, s.ctime) > int64(settledAfter)
}

func statFD(f *os.File) (stat, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &st)
	return asStat(&st), err
}

func statAt(dir int, name string) (stat, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, 0); err != nil {
		return stat{}, err
	}
	return asStat(&st), nil
}

func asStat(st *unix.Stat_t) stat {
	return stat{
		ino: st.Ino, size: st.Size, mode: uint32(st.Mode),
		mtime: unix.TimespecToNsec(st.Mtim), ctime: unix.TimespecToNsec(st.Ctim),
	}
}

// name is the entry's file.
func (e *entry) name() string { return encodeID(e.facts.ID) + cardSuffix }

// named reports whether the entry is about the file of that name, which is asked
// of each card at each look.
func (e *entry) named(name string) bool {
	id := e.facts.ID
	for {
		part, rest, more := strings.Cut(id, ":")
		var ok bool
		if name, ok = strings.CutPrefix(name, part); !ok {
			return false
		}
		if !more {
			return name == cardSuffix
		}
		if name, ok = strings.CutPrefix(name, "__"); !ok {
			return false
		}
		id = rest
	}
}

func newEntry(as stat, i board.Issue) (*entry, error) {
	data, err := board.EncodeIssue(i)
	if err != nil {
		return nil, err
	}
	return &entry{as: as, facts: i.Facts(), pos: notIndexed, content: content{data: bytes.Clone(data)}}, nil // less the room that encoding leaves
}

// castagnoli is the table that processors know. It is made at its first use: most
// calls of the program never need it.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

var errIndex = errors.New("the index is damaged")

// bytes returns the content, from the index where it lies there.
func (c *content) bytes(index *os.File) ([]byte, error) {
	if c.data != nil {
		return c.data, nil
	}
	data := make([]byte, c.size)
	if _, err := index.ReadAt(data, c.at); err != nil {
		return nil, fmt.Errorf("%w: %w", errIndex, err)
	}
	if crc32.Checksum(data, castagnoli()) != c.sum {
		return nil, errIndex
	}
	return data, nil
}

// issue decodes the card.
func (e *entry) issue(index *os.File) (board.Issue, error) {
	data, err := e.bytes(index)
	if err != nil {
		return board.Issue{}, err
	}
	i, err := board.DecodeIssue(data)
	if err == nil && i.ID != e.facts.ID {
		err = errIndex
	}
	return i, err
}

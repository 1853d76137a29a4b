package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"iterion/native/board"
)

// cards reads the card files, and remembers what it read of the whole board.
type cards struct {
	l    Layout
	load func(path, id string) (board.Issue, error) // readCard; tests count here

	mu    sync.Mutex
	kept  []*entry          // what is remembered; nil: nothing was looked at yet
	byIno map[uint64]*entry // the same; nil: not built yet
	dir   stat              // of the folder, when kept names each card in it; else zero
	index indexFile
}

func newCards(l Layout) *cards { return &cards{l: l, load: readCard} }

// forget lets go of what is remembered.
func (c *cards) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index.close()
	c.kept, c.byIno, c.dir = nil, nil, stat{}
}

// read returns one card. Errors: ErrNotFound, *UnreadableError.
func (c *cards) read(id string) (board.Issue, error) {
	if board.CheckID(id) != nil {
		return board.Issue{}, fmt.Errorf("issue %q: %w", id, board.ErrNotFound)
	}
	i, err := c.load(c.l.IssueFile(id), id)
	if errors.Is(err, fs.ErrNotExist) {
		return board.Issue{}, fmt.Errorf("issue %s: %w", id, board.ErrNotFound)
	}
	return i, err
}

// readCard returns fs.ErrNotExist or a *board.UnreadableError.
func readCard(path, id string) (board.Issue, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if taken, _ := exists(path); !taken {
			return board.Issue{}, err
		}
		err = errors.New("a link that leads nowhere")
	}
	var i board.Issue
	if err == nil {
		i, err = board.DecodeIssue(data)
	}
	if err == nil && i.ID != id {
		err = fmt.Errorf("the id inside is %q", i.ID)
	}
	if err != nil {
		return board.Issue{}, &board.UnreadableError{ID: id, Path: path, Err: err}
	}
	return i, nil
}

// ids returns the ids of all records, readable or not, from their names alone.
func (c *cards) ids() ([]string, error) {
	dir, err := c.open()
	if err != nil || dir == nil {
		return nil, err
	}
	defer dir.Close()
	names, err := cardNames(dir)
	for n := range names {
		names[n], _ = cardID(names[n])
	}
	return names, err
}

// open opens the folder of the cards; no folder, no cards.
func (c *cards) open() (*os.File, error) {
	dir, err := os.Open(c.l.Issues())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the folder of the issues: %w", err)
	}
	return dir, nil
}

func cardNames(dir *os.File) ([]string, error) {
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("read the folder of the issues: %w", err)
	}
	return slices.DeleteFunc(names, func(n string) bool { return !isCard(n) }), nil
}

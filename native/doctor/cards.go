package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"iterion/native/board"
)

// card is what is known of one file in the folder of the cards.
type card struct {
	path string
	id   string // inside; the card's own word
	err  error  // why it cannot be read

	state    string
	claim    string
	epoch    int64
	lease    time.Time
	awaiting bool
	updated  time.Time
}

const (
	cardSuffix = ".json"
	tempPrefix = ".tmp-"
)

// idOf is the id that a file name, less its suffix, stands for.
func idOf(name string) string { return strings.ReplaceAll(name, "__", ":") }

// readCards reads every card and tells of those that cannot be.
func (x *exam) readCards() {
	x.cards = map[string]card{}
	entries, err := os.ReadDir(x.l.Issues())
	if err != nil && !errors.Is(err, fs.ErrNotExist) || !isFolder(x.l.Issues()) && present(x.l.Issues()) {
		x.log.read = false // then nothing follows from a card that is not seen
		x.cardsUnreadable(err)
		return
	}
	names := x.cardNames(entries)
	found := make([]card, len(names))
	tell := x.progress(len(names))
	inParallel(len(names), func(n int) {
		found[n] = readCard(filepath.Join(x.l.Issues(), names[n]))
		tell()
	})
	for n, name := range names {
		x.judgeCard(strings.TrimSuffix(name, cardSuffix), found[n])
	}
}

func (x *exam) cardsUnreadable(err error) {
	if !isFolder(x.l.Issues()) {
		return // which is told already
	}
	x.found(x.opening(Finding{ID: "folder-unreadable", Severity: Error, Where: x.l.Issues(),
		What:  fmt.Sprintf("the folder of the cards cannot be read: %v", bare(err)),
		Means: "no card can be listed"}, x.l.Issues()))
}

// progress returns a function that counts up to of, and tells of it.
func (x *exam) progress(of int) func() {
	if x.o.Progress == nil {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; done%256 == 0 {
			x.o.Progress(done, of)
		}
	}
}

// cardNames returns the names of the cards and tells of what else is there.
// Names with a dot in front are the tree's business.
func (x *exam) cardNames(entries []fs.DirEntry) []string {
	var names []string
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, "."):
		case strings.HasSuffix(name, cardSuffix):
			names = append(names, name)
		default:
			x.found(Finding{ID: "card-folder-stray", Severity: Note, Where: filepath.Join(x.l.Issues(), name),
				What:   "it lies among the cards and is none",
				Means:  "nothing; it is passed over",
				Remedy: "move it elsewhere"})
		}
	}
	return names
}

func readCard(path string) card {
	c := card{path: path}
	data, err := os.ReadFile(path)
	if err != nil {
		c.err = err
		return c
	}
	i, err := board.DecodeIssue(data)
	if err == nil && i.ID == "" {
		err = errors.New("it names no id")
	}
	c.err, c.id = err, i.ID
	c.state, c.awaiting, c.updated = i.State, i.AwaitingInput, i.UpdatedAt
	c.claim, c.epoch, c.lease = i.Claim, i.ClaimEpoch, i.ClaimLeaseUntil
	return c
}

func (x *exam) judgeCard(name string, c card) {
	if errors.Is(c.err, fs.ErrNotExist) && !present(c.path) {
		return // deleted since the folder was read
	}
	id := idOf(name)
	x.cards[id] = c
	switch {
	case c.err != nil:
		x.found(x.unreadable(id, c))
	case c.id != id:
		x.found(x.misnamed(c))
	default:
		x.newest.see(c.updated, "card "+board.ShortID(id))
		x.column(id, c)
	}
}

func (x *exam) unreadable(id string, c card) Finding {
	f := Finding{ID: "card-unreadable", Severity: Error, Where: c.path,
		What:   fmt.Sprintf("the card cannot be read: %v", bare(c.err)),
		Means:  "it is left out of every list, and nothing can be done with it",
		Remedy: "mend the file by hand, or --fix moves it aside and notes in the log that the card is gone"}
	if errors.Is(c.err, fs.ErrPermission) {
		return x.opening(f, c.path)
	}
	return f.mended(byFiles, func(m *mender) error {
		if readCard(c.path).err == nil {
			return nil // an unfinished write has mended it
		}
		return m.asideCard(c.path, id)
	})
}

// misnamed is a card under the name of another one. What the card says counts.
func (x *exam) misnamed(c card) Finding {
	right := x.l.IssueFile(c.id)
	f := Finding{ID: "card-misnamed", Severity: Error, Where: c.path,
		What:   fmt.Sprintf("the card inside is %q", c.id),
		Means:  "it is left out of every list, and nothing can be done with it",
		Remedy: "--fix gives the file the name of its card"}
	switch {
	case board.CheckID(c.id) != nil:
		f.Remedy = "--fix moves it aside: its id is none"
	case present(right) && !misplaced(right):
		f.Remedy = "--fix moves it aside: a card of its id is there already"
	}
	return f.mended(byFiles, func(m *mender) error { return m.rename(c.path) })
}

// misplaced reports whether the file of a card holds another one.
func misplaced(path string) bool {
	c := readCard(path)
	return c.err == nil && c.id != idOf(strings.TrimSuffix(filepath.Base(path), cardSuffix))
}

// column tells of a card whose column the board does not have.
func (x *exam) column(id string, c card) {
	if x.columns == nil || slices.Contains(x.columns, c.state) {
		return
	}
	x.found(Finding{ID: "card-state-unknown", Severity: Warning, Where: c.path,
		What:   fmt.Sprintf("the board has no column %q", c.state),
		Means:  "the card stands in no column and is never started",
		Remedy: fmt.Sprintf("`iterion issue move %s --to STATE`, or `iterion issue board set` with that column", board.ShortID(id))})
}

// bare leaves out the path that the finding names anyway.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// inParallel calls fn with 0..n-1: decoding is what an examination spends its
// time on.
func inParallel(n int, fn func(int)) {
	workers := min(runtime.GOMAXPROCS(0), 1+n/64)
	if workers == 1 {
		for i := range n {
			fn(i)
		}
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				fn(i)
			}
		})
	}
	wg.Wait()
}

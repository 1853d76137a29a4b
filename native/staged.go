package native

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// staged names a file in the staging folder: <seq>-<encoded id>.
type staged struct {
	seq  int64
	name string // of the target, without suffix
}

func (st staged) String() string { return fmt.Sprintf("%d-%s", st.seq, st.name) }

func parseStaged(file string) (staged, bool) {
	num, name, ok := strings.Cut(file, "-")
	seq, err := strconv.ParseInt(num, 10, 64)
	// Another writer of this format may leave the id as it is.
	st := staged{seq, encodeID(name)}
	return st, ok && err == nil && seq >= 0 && name != "" && st.String() == file
}

// stagedFiles returns what lies in the staging folder: the staged changes in
// the order of their seq, and the names of everything else.
func stagedFiles(dir string) (changes []staged, others []string, err error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if st, ok := parseStaged(e.Name()); ok {
			changes = append(changes, st)
		} else {
			others = append(others, e.Name())
		}
	}
	slices.SortFunc(changes, func(a, b staged) int { return int(a.seq - b.seq) })
	return changes, others, nil
}

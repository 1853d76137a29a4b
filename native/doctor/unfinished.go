package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"iterion/native/filelock"
)

// verbName is the file of a change over several cards on its way.
const verbName = ".verb.json"

// unfinished looks for writes that were left half-way. While somebody holds the
// writer lock they are that writer's.
func (x *exam) unfinished() {
	x.verbsAside()
	left := x.halfWay()
	if len(left) == 0 {
		return
	}
	time.Sleep(settling)
	left = still(left, x.halfWay())
	x.stage(left)
	if x.writing() {
		return
	}
	for _, path := range still(left, x.halfWay()) {
		x.unfinishedAt(path)
	}
}

// writing reports whether somebody is at a write now. The unfinished work of one
// who is stopped is told with the lock.
func (x *exam) writing() bool {
	held, err := filelock.Probe(x.l.WriterLock())
	return held || err != nil
}

func (x *exam) unfinishedAt(path string) {
	x.found(Finding{ID: "write-unfinished", Severity: Warning, Where: path,
		What:   "a process was killed in the middle of a write",
		Means:  "the next writer finishes what was committed and drops what was not",
		Remedy: "--fix finishes it now and moves aside what was never committed",
	}.mended(byLock, nil))
}

// halfWay returns the files of writes on their way.
func (x *exam) halfWay() []string {
	var found []string
	entries, _ := os.ReadDir(x.l.Staging()) // an unreadable folder is told by the tree
	for _, e := range entries {
		found = append(found, filepath.Join(x.l.Staging(), e.Name()))
	}
	if verb := x.in(verbName); present(verb) && !isFolder(verb) {
		found = append(found, verb)
	}
	return found
}

// stage takes down whose cards may not be in place yet.
func (x *exam) stage(paths []string) {
	for _, path := range paths {
		seq, name, ok := strings.Cut(filepath.Base(path), "-")
		if _, err := strconv.ParseInt(seq, 10, 64); ok && err == nil {
			x.staged[idOf(name)] = true
		}
		if filepath.Base(path) == verbName {
			x.stageVerb(path)
		}
	}
}

func (x *exam) stageVerb(path string) {
	var verb struct {
		Changes []struct {
			ID string `json:"id"`
		} `json:"changes"`
	}
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &verb) != nil {
		return
	}
	for _, c := range verb.Changes {
		x.staged[c.ID] = true
	}
}

// verbsAside tells of changes that nobody could finish.
func (x *exam) verbsAside() {
	for _, path := range x.unreadableVerbs() {
		x.found(Finding{ID: "verb-set-aside", Severity: Warning, Where: path,
			What:   "a change over several cards was left half-way and could not be understood",
			Means:  "some of its cards were changed and others were not; the file names them",
			Remedy: "look into it and do the rest by hand; --fix moves it aside",
		}.mended(byFiles, func(m *mender) error { return m.aside(path) }))
	}
}

// unreadableVerbs are the verb files that a writer gave up on.
func (x *exam) unreadableVerbs() []string {
	paths, _ := filepath.Glob(x.in(verbName) + ".unreadable-*")
	return paths
}

// still returns what is in both.
func still(before, after []string) []string {
	have := map[string]bool{}
	for _, s := range after {
		have[s] = true
	}
	var both []string
	for _, s := range before {
		if have[s] {
			both = append(both, s)
		}
	}
	return both
}

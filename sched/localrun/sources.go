package localrun

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"sync"

	"iterion/native/atomicfile"
	"iterion/native/run"
)

const (
	sourcesFile = ".sources"
	sourcesHead = "iterion run sources 1 "
	// sourcesNews is how much must have been learnt for the file to be written
	// again. Until then a fresh process reads so many records at most.
	sourcesNews = 32
)

// source is what never changes of a run.
type source struct {
	schedule string // empty: no schedule's
	ended    bool   // for good
}

// sources remembers whose the runs are.
type sources struct {
	mu   sync.Mutex
	of   map[string]source
	news int // learnt since the file was written
}

// rules reports whether a run need not be looked at for a schedule.
func (s *sources) rules(id, scheduleID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, ok := s.of[id]
	return ok && (was.ended || was.schedule != scheduleID)
}

// ended reports whether a run is known to have ended for good.
func (s *sources) ended(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of[id].ended
}

// schedule returns whose a run is, empty when that cannot be told.
func (s *sources) schedule(d *run.Dir, id string) string {
	s.mu.Lock()
	was, ok := s.of[id]
	s.mu.Unlock()
	if ok {
		return was.schedule
	}
	rec, err := d.Get(id)
	if err != nil {
		return ""
	}
	s.learn(rec)
	return rec.Source.ScheduleID
}

func (s *sources) learn(rec run.Record) {
	now := source{rec.Source.ScheduleID, rec.Status.Final() && !rec.Status.CanBecome(run.Queued)}
	if strings.ContainsAny(rec.ID+now.schedule, "\t\n") { // cannot be written down
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if was, ok := s.of[rec.ID]; !ok || was != now {
		s.of[rec.ID] = now
		s.news++
	}
}

// encode keeps what it knows of the runs that there are.
func (s *sources) encode(ids []string) []byte {
	var b bytes.Buffer
	for _, id := range ids {
		if of, ok := s.of[id]; ok {
			flag := "-"
			if of.ended {
				flag = "e"
			}
			b.WriteString(flag + "\t" + id + "\t" + of.schedule + "\n")
		}
	}
	return append(fmt.Appendf(nil, "%s%08x\n", sourcesHead, crc32.ChecksumIEEE(b.Bytes())), b.Bytes()...)
}

// decodeSources returns an empty one for a file that is not whole.
func decodeSources(data []byte) *sources {
	s := &sources{of: map[string]source{}}
	head, body, ok := bytes.Cut(data, []byte("\n"))
	if !ok || string(head) != fmt.Sprintf("%s%08x", sourcesHead, crc32.ChecksumIEEE(body)) {
		return s
	}
	for line := range strings.Lines(string(body)) {
		flag, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		id, schedule, ok := strings.Cut(rest, "\t")
		if ok {
			s.of[id] = source{schedule, flag == "e"}
		}
	}
	return s
}

// known returns what is remembered.
func (h *Host) known() *sources {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sources == nil {
		data, _ := os.ReadFile(h.Runs.Path(sourcesFile)) // without it everything is read
		h.sources = decodeSources(data)
	}
	return h.sources
}

// keep writes it down now and then. Who cannot does without.
func (h *Host) keep(s *sources, ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.news < sourcesNews {
		return
	}
	s.news = 0
	err := atomicfile.WriteFile(h.Runs.Path(sourcesFile), s.encode(ids), 0o600, atomicfile.Options{NoFsync: true})
	if err != nil {
		h.log().Debug("what is known of the runs cannot be kept", "err", err)
	}
}

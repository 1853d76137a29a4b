package storetest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Card is what a card's file says, of what the log tells too.
type Card struct {
	ID              string            `json:"id"`
	Title           string            `json:"title"`
	State           string            `json:"state"`
	Labels          []string          `json:"labels"`
	Priority        int               `json:"priority"`
	Fields          map[string]any    `json:"fields"`
	Blockers        []string          `json:"blockers"`
	BotArgs         map[string]string `json:"bot_args"`
	Claim           string            `json:"claim"`
	ClaimEpoch      int64             `json:"claim_epoch"`
	ClaimedAt       time.Time         `json:"claimed_at"`
	ClaimLeaseUntil time.Time         `json:"claim_lease_until"`
	LastRunID       string            `json:"last_run_id"`
	GaveUp          *struct {
		RunID string `json:"run_id"`
		State string `json:"state"`
	} `json:"gave_up"`
	Runs []struct {
		RunID string `json:"run_id"`
	} `json:"runs"`
	Comments []struct {
		ID string `json:"id"`
	} `json:"comments"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	StateAt     time.Time `json:"state_at"`
	StateReason string    `json:"state_reason"`
}

// Event is one line of the log.
type Event struct {
	Seq       *int64    `json:"seq"`
	Timestamp time.Time `json:"timestamp"`
	Type      string    `json:"type"`
	IssueID   string    `json:"issue_id"`
	Payload   struct {
		From          string   `json:"from"`
		To            string   `json:"to"`
		Marker        string   `json:"marker"`
		Epoch         int64    `json:"epoch"`
		Supersedes    string   `json:"supersedes"`
		Reason        string   `json:"reason"`
		RunID         string   `json:"run_id"`
		GaveUp        bool     `json:"gave_up"`
		Blockers      []string `json:"blockers"`
		ClosedBlocker string   `json:"closed_blocker"`
		Changed       []string `json:"changed"`
		LabelsAdded   []string `json:"labels_added"`
		LabelsRemoved []string `json:"labels_removed"`
		CommentID     string   `json:"comment_id"`
		Label         string   `json:"label"`
		ByActor       string   `json:"by_actor"`
	} `json:"payload"`
}

func (e Event) changed(key string) bool { return slices.Contains(e.Payload.Changed, key) }

type boardFile struct {
	States []struct {
		Name string `json:"name"`
	} `json:"states"`
	UpdatedAt time.Time `json:"updated_at"`
}

func (c *check) path(elem ...string) string {
	return filepath.Join(append([]string{c.dir}, elem...)...)
}

func (c *check) readCards() {
	entries, err := os.ReadDir(c.path("issues"))
	if err != nil {
		c.fault("I5", "issues", "%v", err)
	}
	for _, e := range entries {
		where := "issues/" + e.Name()
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !e.Type().IsRegular() {
			c.fault("I5", where, "is no card")
			continue
		}
		data, err := os.ReadFile(c.path("issues", e.Name()))
		var card Card
		if err == nil {
			err = json.Unmarshal(data, &card)
		}
		switch {
		case err != nil:
			c.fault("I5", where, "cannot be read: %v", err)
		case card.ID == "" || strings.ReplaceAll(card.ID, ":", "__") != name:
			c.fault("I5", where, "holds the card %q", card.ID)
		case card.Title == "" || card.State == "":
			c.fault("I5", where, "has no title or no state")
		}
		if err == nil && card.ID != "" {
			c.Cards[card.ID] = card
		}
	}
}

func (c *check) readLog() {
	data, err := os.ReadFile(c.path("events.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		c.fault("I5", "events.jsonl", "%v", err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		c.fault("I4", "events.jsonl", "the last line has no end")
	}
	for line := range bytes.Lines(append(c.archived(firstSeq(data)), data...)) {
		c.readLine(bytes.TrimSpace(line))
	}
}

// firstSeq is the seq that a log begins with.
func firstSeq(data []byte) int64 {
	for line := range bytes.Lines(data) {
		var e Event
		if json.Unmarshal(line, &e) == nil && e.Seq != nil {
			return *e.Seq
		}
	}
	return math.MaxInt64
}

// archived returns the lines that have left the log, in the order of their files'
// names. A file of lines that the log has as well was left by an archiving that
// was cut off, and does not count.
func (c *check) archived(begins int64) []byte {
	spans := map[int64]string{}
	names, _ := filepath.Glob(c.path("events-*.jsonl.gz"))
	for _, name := range names {
		var first, last int64
		if _, err := fmt.Sscanf(filepath.Base(name), "events-%d-%d.jsonl.gz", &first, &last); err != nil {
			c.fault("I5", name, "is no name of an archive: %v", err)
		} else if first < begins {
			spans[first] = name
		}
	}
	var all []byte
	for _, first := range slices.Sorted(maps.Keys(spans)) {
		data, err := gunzip(spans[first])
		if err != nil {
			c.fault("I5", spans[first], "cannot be read: %v", err)
		}
		all = append(all, data...)
	}
	return all
}

func gunzip(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func (c *check) readLine(line []byte) {
	var e Event
	switch err := json.Unmarshal(line, &e); {
	case len(line) == 0:
		return
	case !json.Valid(line):
		c.Torn++
		return
	case err != nil || e.Seq == nil || e.Type == "" || e.Timestamp.IsZero():
		c.fault("I5", "events.jsonl", "a line is no event: %.80s", line)
		return
	}
	var want int64
	if n := len(c.Events); n > 0 {
		want = *c.Events[n-1].Seq + 1
	}
	if *e.Seq != want {
		c.fault("I4", "events.jsonl", "seq %d where %d belongs", *e.Seq, want)
	}
	c.Events = append(c.Events, e)
}

func (c *check) readBoard() {
	data, err := os.ReadFile(c.path("board.json"))
	if err == nil {
		err = json.Unmarshal(data, &c.board)
	}
	if err != nil || len(c.board.States) == 0 {
		c.fault("I5", "board.json", "cannot be read: %v, %d columns", err, len(c.board.States))
		return
	}
	c.columns = map[string]bool{}
	for _, s := range c.board.States {
		c.columns[s.Name] = true
	}
	for id, card := range c.Cards {
		if !c.columns[card.State] {
			c.fault("I5", id, "is in column %q, which there is not", card.State)
		}
	}
}

// temps begin the names of files that are written under no lock: an index of the
// cards, archives of the log and the log without them. So the next command cannot
// tell a left one from one that is being written; those that stay are swept when
// they are old.
var temps = []string{".tmp-index-", ".tmp-archive-", ".tmp-log-", ".tmp-left-"}

func unlocked(name string) bool {
	return slices.ContainsFunc(temps, func(t string) bool { return strings.HasPrefix(name, t) })
}

// leftovers looks for writes that were begun and neither finished nor removed.
func (c *check) leftovers() {
	staged, err := os.ReadDir(c.path(".staging"))
	if err != nil && !os.IsNotExist(err) {
		c.fault("I4", ".staging", "%v", err)
	}
	for _, e := range staged {
		c.fault("I4", ".staging", "%s is left", e.Name())
	}
	entries, _ := os.ReadDir(c.dir)
	for _, e := range entries {
		switch {
		case e.Name() == ".verb.json":
			c.fault("I4", ".verb.json", "is left")
		case strings.HasPrefix(e.Name(), ".tmp") && !unlocked(e.Name()):
			c.fault("I4", e.Name(), "is left")
		case strings.Contains(e.Name(), ".unreadable-"):
			c.Aside = append(c.Aside, e.Name())
		}
	}
}

// cycles looks for cards that hold each other back for ever.
func (c *check) cycles() {
	const onPath, clear = 1, 2
	mark := map[string]int{}
	var walk func(id string) bool
	walk = func(id string) bool {
		if mark[id] != 0 {
			return mark[id] == onPath
		}
		mark[id] = onPath
		loops := slices.ContainsFunc(c.Cards[id].Blockers, walk)
		mark[id] = clear
		return loops
	}
	for id := range c.Cards {
		if walk(id) {
			c.fault("cycle", id, "its blockers lead back to it")
		}
	}
}

package storetest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// log is a whole story: a blocker is claimed, worked, done and sets w free; a
// label is renamed on two cards; a card is made, commented and deleted. T stands
// for the instant of the event, which is the day with the seq as its minutes.
const log = `
{"seq":0,T,"type":"issue_created","issue_id":"native:b","payload":{}}
{"seq":1,T,"type":"issue_created","issue_id":"native:w","payload":{}}
{"seq":2,T,"type":"issue_claimed","issue_id":"native:b","payload":{"marker":"m","epoch":1}}
{"seq":3,T,"type":"issue_last_run_updated","issue_id":"native:b","payload":{"run_id":"r1","workdir":"/w"}}
{"seq":4,T,"type":"issue_released","issue_id":"native:b","payload":{"marker":"m"}}
{"seq":5,T,"type":"issue_claimed","issue_id":"native:b","payload":{"marker":"n","epoch":2}}
{"seq":6,T,"type":"issue_updated","issue_id":"native:b","payload":{"changed":["labels"],"labels_added":["x"]}}
{"seq":7,T,"type":"issue_updated","issue_id":"native:w","payload":{"changed":["labels"],"labels_added":["x","y"]}}
{"seq":8,T,"type":"issue_state_changed","issue_id":"native:b","payload":{"from":"ready","to":"done","marker":"n"}}
{"seq":9,T,"type":"issue_unblocked","issue_id":"native:w","payload":{"from":"waiting_deps","to":"backlog","closed_blocker":"native:b","reason":"unblocked"}}
{"seq":10,T,"type":"label_rename","issue_id":"native:b","payload":{"from":"x","to":"z","reason":"label_renamed"}}
{"seq":11,T10,"type":"label_rename","issue_id":"native:w","payload":{"from":"x","to":"z","reason":"label_renamed"}}
{"seq":12,T,"type":"issue_created","issue_id":"native:c","payload":{}}
{"seq":13,T,"type":"issue_comment_added","issue_id":"native:c","payload":{"comment_id":"k"}}
{"seq":14,T,"type":"issue_deleted","issue_id":"native:c","payload":{}}
{"seq":15,T,"type":"issue_comment_added","issue_id":"native:w","payload":{"comment_id":"k1"}}
{"seq":16,T,"type":"board_updated","payload":{}}
{"seq":17,T,"type":"issue_updated","issue_id":"native:w","payload":{"changed":["priority"]}}
`

const blocker = `{"id":"native:b","title":"blocker","state":"done","labels":["z"],"claim":"n","claim_epoch":2,"claimed_at":T5,
"claim_lease_until":T30,"last_run_id":"r1","runs":[{"run_id":"r1","at":T3}],"created_at":T0,"updated_at":T10,"state_at":T8}`

const waiter = `{"id":"native:w","title":"waiter","state":"backlog","labels":["z","y"],"priority":3,"blockers":["native:b"],
"created_at":T1,"updated_at":T17,"state_at":T9,"state_reason":"unblocked","comments":[{"id":"k1","author":"a","body":"b","created_at":T15}]}`

const columns = `{"states":[{"name":"ready"},{"name":"backlog"},{"name":"waiting_deps"},{"name":"done"}],"updated_at":T16}`

// files is the store of that story.
func files() map[string]string {
	return map[string]string{
		"events.jsonl":          strings.TrimLeft(log, "\n"),
		"issues/native__b.json": blocker,
		"issues/native__w.json": waiter,
		"board.json":            columns,
		".staging/":             "",
	}
}

// stamp puts the instants in.
func stamp(text string) string {
	for n := 59; n >= 0; n-- {
		at := fmt.Sprintf(`"2026-01-02T03:%02d:00Z"`, n)
		text = strings.ReplaceAll(text, fmt.Sprintf(":T%d", n), ":"+at)
		text = strings.ReplaceAll(text, fmt.Sprintf(",T%d,", n), `,"timestamp":`+at+",")
		text = strings.ReplaceAll(text, fmt.Sprintf(`"seq":%d,T,`, n), fmt.Sprintf(`"seq":%d,"timestamp":%s,`, n, at))
	}
	return text
}

func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			os.Mkdir(path, 0o700)
			continue
		}
		if err := os.WriteFile(path, []byte(stamp(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestWholeStoreHasNoFault(t *testing.T) {
	r := Check(lay(t, files()), Options{})
	if len(r.Faults) > 0 || len(r.Events) != 18 || len(r.Cards) != 2 || r.Torn != 0 {
		t.Errorf("%v, %d events, %d cards, %d torn", r.Faults, len(r.Events), len(r.Cards), r.Torn)
	}
}

// broken is a fault that is laid into the whole story, and what is to be said of it.
type broken struct {
	file, old, by string
	rule, says    string
}

func TestEachFaultIsFound(t *testing.T) {
	const events, b, w = "events.jsonl", "issues/native__b.json", "issues/native__w.json"
	for name, c := range map[string]broken{
		"two claims at once":          {events, `"issue_released","issue_id":"native:b","payload":{"marker":"m"}`, `"issue_updated","issue_id":"native:b","payload":{}`, "I1", `"n" claims the card that "m" holds`},
		"a takeover from another":     {events, `"marker":"n","epoch":2`, `"marker":"n","supersedes":"m","epoch":2`, "I1", `"n" claims the card that "" holds`},
		"an epoch again":              {events, `"marker":"n","epoch":2`, `"marker":"n","epoch":1`, "I1", "epoch 1 follows 1"},
		"an epoch left out":           {events, `"marker":"m","epoch":1`, `"marker":"m","epoch":2`, "I1", "epoch 2 follows 0"},
		"a release by another":        {events, `"payload":{"marker":"m"}}`, `"payload":{"marker":"q"}}`, "I1", `"q" is released while "m" holds`},
		"a holder the log knows not":  {b, `"claim":"n"`, `"claim":"q"`, "I1", `held by "q"`},
		"a claim that is lost":        {b, `"claim":"n","claim_epoch":2,"claimed_at":T5,` + "\n" + `"claim_lease_until":T30`, `"claim_epoch":2`, "I1", `held by ""`},
		"an epoch that shrank":        {b, `"claim_epoch":2`, `"claim_epoch":1`, "I1", "epoch 1"},
		"a claim without lease":       {b, `"claim_lease_until":T30,`, ``, "I1", "a lease until"},
		"a filing by a former holder": {events, `"to":"done","marker":"n"`, `"to":"done","marker":"m"`, "I2", `"m" files the card that "n" holds`},
		"a run stamped by nobody":     {events, `"issue_comment_added","issue_id":"native:c","payload":{"comment_id":"k"}`, `"issue_last_run_updated","issue_id":"native:c","payload":{"run_id":"r"}`, "I2", "while nobody held"},
		"given up by nobody":          {events, `"issue_comment_added","issue_id":"native:c","payload":{"comment_id":"k"}`, `"issue_gave_up","issue_id":"native:c","payload":{"gave_up":true}`, "I2", "while nobody held"},

		"a seq twice":                {events, `{"seq":7,T,`, `{"seq":6,T7,`, "I4", "seq 6 where 7 belongs"},
		"a gap":                      {events, `{"seq":13,T,"type":"issue_comment_added","issue_id":"native:c","payload":{"comment_id":"k"}}` + "\n", ``, "I4", "seq 14 where 13 belongs"},
		"no end of line":             {events, "\"changed\":[\"priority\"]}}\n", "\"changed\":[\"priority\"]}}", "I4", "has no end"},
		"a card of no event":         {events, `"issue_created","issue_id":"native:c"`, `"issue_created","issue_id":"native:d"`, "I4", "native:c, which there is not"},
		"a card made twice":          {events, `"issue_comment_added","issue_id":"native:c","payload":{"comment_id":"k"}`, `"issue_created","issue_id":"native:c","payload":{}`, "I4", "created a second time"},
		"a card that is gone":        {events, `{"seq":14,T,"type":"issue_deleted"`, `{"seq":14,T,"type":"issue_updated"`, "I4", "is missing"},
		"a card that came back":      {"issues/native__c.json", "", `{"id":"native:c","title":"c","state":"ready"}`, "I4", "no event that made it"},
		"a change without event":     {w, `"updated_at":T17`, `"updated_at":T18`, "I4", "its last event, seq 17"},
		"an event without change":    {w, `"updated_at":T17`, `"updated_at":T15`, "I4", "its last event, seq 17"},
		"another column":             {w, `"state":"backlog"`, `"state":"ready"`, "I4", "the log says backlog"},
		"another way in":             {w, `"state_reason":"unblocked"`, `"state_reason":"watchdog"`, "I4", "in its column since"},
		"a move from elsewhere":      {events, `"issue_updated","issue_id":"native:w","payload":{"changed":["priority"]}`, `"issue_state_changed","issue_id":"native:w","payload":{"from":"ready","to":"backlog"}`, "I4", "moves from ready while in backlog"},
		"a move to where it is":      {events, `"issue_updated","issue_id":"native:w","payload":{"changed":["priority"]}`, `"issue_state_changed","issue_id":"native:w","payload":{"from":"backlog","to":"backlog"}`, "I4", "to where it is"},
		"a lost label":               {w, `["z","y"]`, `["z"]`, "I4", "of y the log says true"},
		"a label of nobody":          {b, `"labels":["z"]`, `"labels":["z","x"]`, "I4", "of x the log says false"},
		"a label added again":        {events, `{"changed":["priority"]}`, `{"changed":["labels"],"labels_added":["y"]}`, "I4", "y is added a second time"},
		"a label that was not there": {events, `{"changed":["priority"]}`, `{"changed":["labels"],"labels_removed":["x"]}`, "I4", "x is removed, which it has not"},
		"another blocker":            {events, `"issue_updated","issue_id":"native:w","payload":{"changed":["priority"]}`, `"issue_blockers_updated","issue_id":"native:w","payload":{"blockers":["native:o"]}`, "I4", "has the blockers"},
		"a run forgotten":            {b, `"last_run_id":"r1"`, `"last_run_id":"r0"`, "I4", `run "r0"`},
		"a run out of the history":   {b, `"runs":[{"run_id":"r1","at":T3}]`, `"runs":[]`, "I4", "does not know of run r1"},
		"a stamp of nobody":          {b, `"created_at":T0`, `"gave_up":{"state":"done"},"created_at":T0`, "I4", "stamp that no event"},
		"a lost comment":             {w, `"id":"k1"`, `"id":"k2"`, "I4", "lost the comment k1"},
		"a comment of nobody":        {w, `[{"id":"k1"`, `[{"id":"k0"},{"id":"k1"`, "I4", "has 2 comments"},
		"half a close":               {events, `"issue_unblocked","issue_id":"native:w","payload":{"from":"waiting_deps","to":"backlog","closed_blocker":"native:b",`, `"issue_state_changed","issue_id":"native:w","payload":{"from":"waiting_deps","to":"backlog",`, "I4", "native:w waits on"},
		"free too early":             {w, `"blockers":["native:b"]`, `"blockers":["native:b","native:o"]`, "I4", "native:o is not done"},
		"free from elsewhere":        {events, `"from":"waiting_deps"`, `"from":"ready"`, "I4", "set free from ready"},
		"free by a card not done":    {events, `"closed_blocker":"native:b"`, `"closed_blocker":"native:o"`, "I4", "native:o, which is not done"},
		"a board of another day":     {"board.json", `"updated_at":T16`, `"updated_at":T2`, "I4", "its last event, seq 16"},
		"a staged file":              {".staging/18-native__b", "", "{}", "I4", "18-native__b is left"},
		"a verb file":                {".verb.json", "", "{}", "I4", "is left"},
		"a temporary file":           {".tmp-1", "", "x", "I4", "is left"},

		"no JSON":             {b, `"title"`, `"title`, "I5", "cannot be read"},
		"another card":        {b, `"native:b"`, `"native:q"`, "I5", `holds the card "native:q"`},
		"an empty card":       {b, blocker, `{}`, "I5", `holds the card ""`},
		"no card":             {"issues/notes.txt", "", "x", "I5", "is no card"},
		"a folder for a card": {"issues/native__d.json/", "", "", "I5", "is no card"},
		"no such column":      {"board.json", `{"name":"done"}`, `{"name":"gone"}`, "I5", `"done", which there is not`},
		"no board":            {"board.json", columns, `{`, "I5", "cannot be read"},
		"an event of no type": {events, `"type":"issue_comment_added","issue_id":"native:c",`, ``, "I5", "is no event"},
		"a cycle":             {b, `"labels":["z"]`, `"labels":["z"],"blockers":["native:w"]`, "cycle", "lead back"},
	} {
		t.Run(name, func(t *testing.T) { c.find(t) })
	}
}

func (c broken) find(t *testing.T) {
	all := files()
	if !strings.Contains(all[c.file], c.old) {
		t.Fatalf("%s holds no %s", c.file, c.old)
	}
	all[c.file] = strings.Replace(all[c.file], c.old, c.by, 1)
	if c.old == "" {
		all[c.file] = c.by
	}
	faults := Check(lay(t, all), Options{}).Faults
	found := false
	for _, f := range faults {
		found = found || f.Rule == c.rule && strings.Contains(f.String(), c.says)
	}
	if !found {
		t.Errorf("found %v, want %s: … %s", faults, c.rule, c.says)
	}
}

// One card that a rename of a label passed over.
func TestHalfARenameIsFound(t *testing.T) {
	all := files()
	all["events.jsonl"] = strings.Replace(all["events.jsonl"],
		`"label_rename","issue_id":"native:w","payload":{"from":"x","to":"z","reason":"label_renamed"}`,
		`"issue_updated","issue_id":"native:w","payload":{"changed":["title"]}`, 1)
	all["issues/native__w.json"] = strings.Replace(waiter, `["z","y"]`, `["x","y"]`, 1)
	faults := Check(lay(t, all), Options{}).Faults
	if len(faults) != 1 || !strings.Contains(faults[0].String(), "native:w was passed over: it still bears x") {
		t.Errorf("found %v", faults)
	}
}

// A line that a power cut has torn stays in the log and is nobody's event.
func TestTornLineIsCounted(t *testing.T) {
	all := files()
	all["events.jsonl"] = strings.Replace(all["events.jsonl"], `{"seq":9,`, `{"seq":9,"timest`+"\n"+`{"seq":9,`, 1)
	if r := Check(lay(t, all), Options{}); len(r.Faults) > 0 || r.Torn != 1 {
		t.Errorf("%v, %d torn lines", r.Faults, r.Torn)
	}
}

func TestYoungerLogMayLackBeginnings(t *testing.T) {
	all := files()
	_, all["events.jsonl"], _ = strings.Cut(all["events.jsonl"], "{\"seq\":17")
	all["events.jsonl"] = `{"seq":0,T17` + strings.TrimPrefix(all["events.jsonl"], ",T")
	all["board.json"] = columns
	if r := Check(lay(t, all), Options{Younger: true}); len(r.Faults) > 0 || len(r.Events) != 1 {
		t.Errorf("%v, %d events", r.Faults, len(r.Events))
	}
	if r := Check(lay(t, all), Options{}); len(r.Faults) == 0 {
		t.Error("nothing was found without the leave")
	}
}

// archive packs the lines [from, to) of the story's log, and leaves the log those
// from keep on.
func archive(t *testing.T, dir, name string, from, to, keep int) {
	t.Helper()
	lines := strings.SplitAfter(stamp(strings.TrimLeft(log, "\n")), "\n")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(strings.Join(lines[from:to], "")))
	err = errors.Join(err, z.Close(),
		os.WriteFile(filepath.Join(dir, name), packed.Bytes(), 0o600),
		os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(strings.Join(lines[keep:], "")), 0o600))
	if err != nil {
		t.Fatal(err)
	}
}

func TestArchivesArePartOfTheStory(t *testing.T) {
	for name, c := range map[string]struct {
		lay  func(dir string)
		says string // "": no fault
	}{
		"two archives": {func(dir string) {
			archive(t, dir, "events-0-4.jsonl.gz", 0, 5, 5)
			archive(t, dir, "events-5-9.jsonl.gz", 5, 10, 10)
		}, ""},
		"one cut off":    {func(dir string) { archive(t, dir, "events-0-4.jsonl.gz", 0, 5, 0) }, ""},
		"a lost line":    {func(dir string) { archive(t, dir, "events-0-4.jsonl.gz", 0, 5, 6) }, "seq 6 where 5 belongs"},
		"a line twice":   {func(dir string) { archive(t, dir, "events-0-4.jsonl.gz", 0, 5, 4) }, "seq 4 where 5 belongs"},
		"no first lines": {func(dir string) { archive(t, dir, "events-1-4.jsonl.gz", 1, 5, 5) }, "seq 1 where 0 belongs"},
		"damaged": {func(dir string) {
			archive(t, dir, "events-0-4.jsonl.gz", 0, 5, 5)
			if err := os.Truncate(filepath.Join(dir, "events-0-4.jsonl.gz"), 30); err != nil {
				t.Fatal(err)
			}
		}, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, files())
			c.lay(dir)
			r := Check(dir, Options{})
			found := slices.ContainsFunc(r.Faults, func(f Fault) bool { return strings.Contains(f.String(), c.says) })
			if c.says == "" && (len(r.Faults) > 0 || len(r.Events) != 18) || c.says != "" && !found {
				t.Errorf("%v, %d events", r.Faults, len(r.Events))
			}
		})
	}
}

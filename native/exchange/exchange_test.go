package exchange

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/native/board"
)

func read(t *testing.T, tool, file string, o Options) Result {
	t.Helper()
	if o.Schema.States == nil {
		o.Schema = board.DefaultSchema()
	}
	path := filepath.Join("testdata", file)
	var res Result
	var err error
	if TakesFolder(tool) {
		res, err = ReadFolder(tool, path, o)
	} else {
		f, oerr := os.Open(path)
		if oerr != nil {
			t.Fatal(oerr)
		}
		defer f.Close()
		res, err = Read(tool, f, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range res.Items {
		if i.Err != nil {
			t.Fatalf("%s: %v", i.Where, i.Err)
		}
		if !i.Record.Foreign || board.CheckID(i.Record.Issue.ID) != nil {
			t.Errorf("%s: %+v", i.Where, i.Record)
		}
	}
	return res
}

func readLines(in io.Reader) (res Result, err error) {
	err = EachLine(in, func(i Item) error {
		res.Items = append(res.Items, i)
		return nil
	})
	return res, err
}

func at(s string) time.Time {
	when, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return when
}

func TestGitHub(t *testing.T) {
	res := read(t, githubJSON, "github.json", Options{})
	want := board.Issue{
		ID: idOf("https://github.com/acme/shop/issues/7"), Title: "Search is slow", Body: "It takes\nten seconds.", State: board.StateInbox,
		Labels: []string{"bug", "area: search"}, Assignee: "bob", CreatedAt: at("2026-01-02T03:04:05Z"),
		Comments: []board.Comment{{ID: "IC_1", Author: "cleo", Body: "Same here.", CreatedAt: at("2026-01-02T09:00:00Z")}},
		External: &board.External{Provider: "github", Repo: "acme/shop", Number: 7, URL: "https://github.com/acme/shop/issues/7", State: "open", Author: "ann"},
	}
	if d := cmp.Diff(want, res.Items[0].Record.Issue); d != "" {
		t.Errorf("not as expected (-want +got):\n%s", d)
	}
	if got := states(res); !cmp.Equal(got, []string{board.StateInbox, board.StateDone, board.StateBlocked}) {
		t.Errorf("states %v", got)
	}
}

func TestGitHubWithoutURLNeedsAProject(t *testing.T) {
	const doc = `[{"number": 7, "title": "T", "state": "OPEN"}]`
	o := Options{Schema: board.DefaultSchema()}
	res, err := Read(githubJSON, strings.NewReader(doc), o)
	if err != nil || !errors.Is(res.Items[0].Err, board.ErrInvalid) {
		t.Errorf("%+v, %v", res, err)
	}
	o.Project = "acme/shop"
	res, err = Read(githubJSON, strings.NewReader(doc), o)
	if err != nil || res.Items[0].Err != nil || res.Items[0].Record.Issue.External.Repo != "acme/shop" {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestTaskwarrior(t *testing.T) {
	s := board.DefaultSchema()
	s.Fields = []board.Field{{Name: "due", Type: board.FieldDate}}
	res := read(t, taskwarrior, "tasks.json", Options{Schema: s})
	const paint, wall = "native:11111111-2222-4333-8444-555555555555", "native:22222222-2222-4333-8444-555555555555"
	want := []board.Issue{
		{
			ID: paint, Title: "Buy paint", State: board.StateInbox, Labels: []string{"shop", "next", "project:House"}, Priority: 3,
			Fields: map[string]any{"due": "2026-02-01T12:00:00Z"}, CreatedAt: at("2026-01-01T08:00:00Z"),
			Comments: []board.Comment{{ID: keyOf(paint, "20260102T090000Z", "white, not cream"), Author: "taskwarrior", Body: "white, not cream", CreatedAt: at("2026-01-02T09:00:00Z")}},
			External: &board.External{Provider: "taskwarrior", State: "pending"},
		},
		{
			ID: wall, Title: "Paint the wall", State: board.StateInbox, Blockers: []string{paint}, CreatedAt: at("2026-01-01T08:10:00Z"),
			External: &board.External{Provider: "taskwarrior", State: "started"},
		},
		{
			ID: "native:33333333-2222-4333-8444-555555555555", Title: "Take a photo", State: board.StateDone, Blockers: []string{wall}, CreatedAt: at("2026-01-01T08:20:00Z"),
			External: &board.External{Provider: "taskwarrior", State: "completed"},
		},
	}
	var got []board.Issue
	for _, i := range res.Items {
		got = append(got, i.Record.Issue)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("not as expected (-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string]int{"deleted": 1, "recurring": 1}, res.Skipped); d != "" {
		t.Error(d)
	}
}

func TestTaskwarriorSaysWhatTheBoardHasNoRoomFor(t *testing.T) {
	res := read(t, taskwarrior, "tasks.json", Options{})
	if res.Skipped["due date (the board has no date field `due`)"] != 1 {
		t.Errorf("skipped %v", res.Skipped)
	}
}

func TestBacklogMD(t *testing.T) {
	o := Options{Project: "shop"}
	for _, dir := range []string{".", "backlog"} {
		res := read(t, backlogMD, dir, o)
		if len(res.Items) != 3 {
			t.Fatalf("%s: %d tasks", dir, len(res.Items))
		}
		want := board.Issue{
			ID: o.backlogID("task-1"), Title: "Add search", Body: "## Description\n\nWords, found anywhere.\n\n## Acceptance Criteria\n\n- [ ] #1 it is fast",
			State: board.StateInbox, Labels: []string{"backend", "search"}, Priority: 3, Assignee: "codex", CreatedAt: at("2026-01-02T03:04:00Z"),
			External: &board.External{Provider: "backlog-md", Repo: "shop", Number: 1, State: "To Do"},
		}
		if d := cmp.Diff(want, res.Items[1].Record.Issue); d != "" {
			t.Errorf("not as expected (-want +got):\n%s", d)
		}
		second := res.Items[2].Record.Issue
		if second.Title != "Show: hits" || second.ParentID != want.ID || !cmp.Equal(second.Blockers, []string{want.ID}) || second.Assignee != "bob" || second.State != board.StateInbox {
			t.Errorf("second: %+v", second)
		}
		if first := res.Items[0].Record.Issue; first.State != board.StateDone || first.Body != "" {
			t.Errorf("completed: %+v", first)
		}
	}
	if res := read(t, backlogMD, "backlog/tasks", o); len(res.Items) != 2 {
		t.Errorf("a folder of task files: %d tasks", len(res.Items))
	}
}

func TestBacklogMDNamesTheBadFile(t *testing.T) {
	dir := t.TempDir()
	for name, doc := range map[string]string{
		"a.md": "no front matter", "b.md": "---\nid: task-1\ntitle: T\n", "c.md": "---\ntitle: T\n---\n", "d.md": "---\nid: [x\n---\n",
		"e.md": "---\nid: task-1\ntitle: T\ncreated_date: soon\n---\n", "f.md": "---\nid: task-2\ntitle: fine\n---\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	res, err := ReadFolder(backlogMD, dir, Options{Schema: board.DefaultSchema()})
	if err != nil || len(res.Items) != 6 {
		t.Fatalf("%+v, %v", res, err)
	}
	for _, i := range res.Items {
		if bad := errors.Is(i.Err, board.ErrInvalid); bad != (i.Where != "f.md") {
			t.Errorf("%s: %v", i.Where, i.Err)
		}
	}
	if _, err := ReadFolder(backlogMD, t.TempDir(), Options{}); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("an empty folder: %v", err)
	}
}

func states(res Result) []string {
	var out []string
	for _, i := range res.Items {
		out = append(out, i.Record.Issue.State)
	}
	return out
}

func TestColumns(t *testing.T) {
	custom := board.Schema{States: []board.State{{Name: "todo"}, {Name: "to_do"}, {Name: "doing", Eligible: true}, {Name: "shut", Terminal: true}}}
	for _, c := range []struct {
		s     board.Schema
		state string
		k     kind
		want  string
	}{
		{board.DefaultSchema(), "To Do", open, board.StateInbox},
		{board.DefaultSchema(), "Ready", open, board.StateInbox}, // the dispatcher would start it
		{board.DefaultSchema(), "In Progress", started, board.StateInbox},
		{board.DefaultSchema(), "review", open, board.StateReview},
		{board.DefaultSchema(), "Done", closed, board.StateDone},
		{board.DefaultSchema(), "closed", abandoned, board.StateBlocked},
		{custom, "To Do", open, "to_do"},
		{custom, "Doing", open, "todo"},
		{custom, "x", closed, "shut"},
		{custom, "x", abandoned, "shut"},
		{custom, "shut", open, "todo"},
	} {
		if got := (Options{Schema: c.s}).column(c.state, c.k); got != c.want {
			t.Errorf("%s: %s, want %s", c.state, got, c.want)
		}
	}
	o := Options{Schema: board.DefaultSchema(), Columns: map[string]string{"in progress": board.StateInProgress}}
	if got := o.column("In Progress", open); got != board.StateInProgress {
		t.Errorf("named: %s", got)
	}
	o.Columns["x"] = "nowhere"
	if _, err := Read(githubJSON, strings.NewReader("[]"), o); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("an unknown column: %v", err)
	}
}

func TestLinesComeBackAsTheyWere(t *testing.T) {
	in := []board.Issue{
		{ID: "native:1", Title: "One <b> & co", Body: "two\nlines", State: "s", CreatedAt: at("2026-01-01T00:00:00Z"), UpdatedAt: at("2026-01-01T00:00:00Z"), Extra: board.Extra{"x": []byte(`{"a":[1]}`)}},
		{ID: "native:2", Title: "Two", State: "s", CreatedAt: at("2026-01-01T00:00:00Z"), UpdatedAt: at("2026-01-01T00:00:00Z")},
	}
	var b bytes.Buffer
	for _, i := range in {
		if err := WriteLine(&b, i); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(b.String(), "\n"); n != 2 {
		t.Fatalf("%d lines", n)
	}
	one := strings.Split(b.String(), "\n")
	for name, doc := range map[string]string{
		"lines": b.String(), "no last newline": strings.TrimSuffix(b.String(), "\n"), "a mark, blanks": "\ufeff\n" + one[0] + "\r\n\n" + one[1],
		"array": " [" + one[0] + "," + one[1] + "]",
	} {
		res, err := readLines(strings.NewReader(doc))
		if err != nil || len(res.Items) != 2 {
			t.Fatalf("%s: %d, %v", name, len(res.Items), err)
		}
		for n, i := range res.Items {
			if d := cmp.Diff(in[n], i.Record.Issue); d != "" || i.Err != nil || i.Record.Foreign {
				t.Errorf("%s: %v\n%s", name, i.Err, d)
			}
		}
	}
}

func TestBadLinesAreNamed(t *testing.T) {
	res, err := readLines(strings.NewReader("{\"id\":\"native:1\"}\n{\n[]\n{\"title\":\"no id\"}\nnull\n"))
	if err != nil || len(res.Items) != 5 {
		t.Fatalf("%+v, %v", res, err)
	}
	for n, i := range res.Items {
		if bad := errors.Is(i.Err, board.ErrInvalid); bad != (n > 0) || !strings.HasSuffix(i.Where, string(rune('1'+n))) {
			t.Errorf("%s: %v", i.Where, i.Err)
		}
	}
	if _, err := readLines(strings.NewReader("[{}")); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("half an array: %v", err)
	}
}

func TestAReaderMayStop(t *testing.T) {
	stop := errors.New("enough")
	for _, doc := range []string{"{\"id\":\"native:1\"}\n{\"id\":\"native:2\"}\n", `[{"id":"native:1"},{"id":"native:2"}]`} {
		n := 0
		if err := EachLine(strings.NewReader(doc), func(Item) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
			t.Errorf("%s: %d items, %v", doc, n, err)
		}
	}
}

func TestExportsMayBeAnArrayOrObjectsInARow(t *testing.T) {
	const one, two = `{"number":1,"title":"A","url":"https://h/o/r/issues/1"}`, `{"number":2,"title":"B","url":"https://h/o/r/issues/2"}`
	for doc, ok := range map[string]bool{
		"[" + one + ",\n" + two + "]": true, "\ufeff\n[" + one + "," + two + "]\n": true,
		one + "\n" + two + "\n": true, one + two: true,
		"[" + one + "," + two: false, "[" + one + " " + two + "]": false, "[" + one + "," + two + "] x": false,
		one + "," + two: false, "": false, "7": false, one + "\n" + two[:9]: false,
	} {
		res, err := Read(githubJSON, strings.NewReader(doc), Options{Schema: board.DefaultSchema()})
		if ok && (err != nil || len(res.Items) != 2) || !ok && !errors.Is(err, board.ErrInvalid) {
			t.Errorf("%s: %d items, %v", doc, len(res.Items), err)
		}
	}
}

func TestABadValueIsToldWithoutTypesOfTheProgram(t *testing.T) {
	for tool, doc := range map[string]string{
		githubJSON:  `[{"number":1,"comments":5,"url":"https://h/o/r/issues/1"},7,{"createdAt":"x"}]`,
		taskwarrior: `[{"uuid":7},[],{"annotations":{}}]`,
	} {
		res, err := Read(tool, strings.NewReader(doc), Options{Schema: board.DefaultSchema()})
		if err != nil || len(res.Items) != 3 {
			t.Fatalf("%s: %d items, %v", tool, len(res.Items), err)
		}
		for _, i := range res.Items {
			if i.Err == nil || strings.Contains(i.Err.Error(), "exchange.") || strings.Contains(i.Err.Error(), "Go ") {
				t.Errorf("%s, %s: %v", tool, i.Where, i.Err)
			}
		}
	}
}

// FuzzRead: nothing that a file may hold breaks a reader, an item is either a
// record with a usable id or an error of the input, and reading twice says the
// same.
func FuzzRead(f *testing.F) {
	f.Add(uint8(0), `[{"number":7,"title":"t","state":"OPEN","url":"https://h/o/r/issues/7","labels":[{"name":"x"}]}]`)
	f.Add(uint8(0), `[{"number":7,"title":"t","state":"CLOSED","stateReason":"NOT_PLANNED","comments":[{"body":"b"}]}]`)
	f.Add(uint8(1), `[{"uuid":"11111111-2222-4333-8444-555555555555","status":"pending","entry":"20260101T080000Z","depends":"x,y"}]`)
	f.Add(uint8(1), `[{"uuid":"11111111-2222-4333-8444-555555555555","status":"deleted"},{"due":"20260101T080000Z","depends":[]}]`)
	f.Add(uint8(2), "---\nid: task-1\ntitle: T\nassignee: ['@a']\ndependencies: task-2\ncreated_date: 2026-01-02\n---\n\nText\n")
	f.Add(uint8(2), "---\nid: &a [*a]\n---\n")
	f.Add(uint8(3), "{\"id\":\"native:1\",\"title\":\"t\"}\n{}\n")
	o := Options{Schema: board.DefaultSchema(), Project: "p"}
	readers := []func(doc string) (Result, error){
		func(doc string) (Result, error) { return Read(githubJSON, strings.NewReader(doc), o) },
		func(doc string) (Result, error) { return Read(taskwarrior, strings.NewReader(doc), o) },
		func(doc string) (Result, error) {
			rec, err := readBacklogTask(doc, o)
			return Result{Items: []Item{{Record: rec, Err: err}}}, nil
		},
		func(doc string) (Result, error) { return readLines(strings.NewReader(doc)) },
	}
	f.Fuzz(func(t *testing.T, which uint8, doc string) {
		n := int(which) % len(readers)
		once, err := readers[n](doc)
		twice, _ := readers[n](doc)
		if err != nil && !errors.Is(err, board.ErrInvalid) {
			t.Fatal(err)
		}
		for k, i := range once.Items {
			if i.Err != nil && !errors.Is(i.Err, board.ErrInvalid) {
				t.Error(i.Err)
			}
			if n < 3 && i.Err == nil && board.CheckID(i.Record.Issue.ID) != nil {
				t.Errorf("id %q", i.Record.Issue.ID)
			}
			if !reflect.DeepEqual(i.Record, twice.Items[k].Record) {
				t.Errorf("%+v, then %+v", i.Record, twice.Items[k].Record)
			}
		}
	})
}

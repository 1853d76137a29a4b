package board

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// foreignIssue has every key of a card, and an unknown one at every level.
const foreignIssue = `{
	"id": "native:1", "title": "a <b> & c", "body": "text", "state": "ready", "labels": ["x"], "priority": 2,
	"assignee": "bob", "blockers": ["native:2"], "parent_id": "native:3",
	"fields": {"size": 12345678901234567890.5, "sure": true, "note": "n"},
	"bot": "shell", "bot_args": {"k": "v"}, "claim": "m", "claim_epoch": 4,
	"claimed_at": "2026-11-30T17:00:00.123456789Z", "claim_lease_until": "2026-11-30T17:15:00Z",
	"last_run_id": "r", "last_workdir": "/w", "awaiting_input": true,
	"gave_up": {"run_id": "r", "state": "ready", "attempts": 1, "reason": "x", "at": "2026-11-30T17:00:00Z", "new": 1},
	"launch_refusal": {"attempts": 1, "last_at": "2026-11-30T17:00:00Z", "last_reason": "full", "new": [2]},
	"runs": [{"run_id": "r", "workdir": "/w", "at": "2026-11-30T17:00:00Z", "new": {"a": 3}}],
	"created_at": "2026-11-30T17:00:00Z", "updated_at": "2026-11-30T17:00:00Z", "state_at": "2026-11-30T17:00:00Z",
	"state_reason": "unblocked",
	"external": {"provider": "p", "number": 7, "new": null, "project": {"owner": "o", "new": "4", "status_at": "2026-11-30T17:00:00Z"}},
	"comments": [{"id": "c", "author": "a", "body": "b", "created_at": "2026-11-30T17:00:00Z", "new": 1e400}],
	"new": {"deep": [1, {"er": "<&>"}]}, "-": 5, "another\tnew": true
}`

const foreignSchema = `{
	"states": [{"name": "a", "display": "A", "color": "red", "terminal": true, "eligible": false, "wip_limit": 3}],
	"fields": [{"name": "f", "display": "F", "type": "number", "required": true, "enum_values": [], "default": 9007199254740993, "unit": "h"}],
	"views": [{"name": "v", "search": "s", "labels": ["l"], "assignee": "a", "bot": "b", "sort": "title", "group_by": "bot", "columns": [1]}],
	"updated_at": "2026-11-30T17:00:00Z", "theme": {"dark": true}
}`

const foreignEvent = `{
	"seq": 12, "timestamp": "2026-11-30T17:00:00.5Z", "type": "issue_moved_by_the_future", "issue_id": "native:1",
	"payload": {"from": "a", "to": "b", "marker": "m", "epoch": 2, "reason": "r", "run_id": "x", "gave_up": true,
		"not_before": "2026-11-30T17:00:00Z", "changed": ["title"], "by_run": "r", "by_actor": "me", "why": [1]},
	"trace": "t"
}`

func TestRecordsKeepEveryKey(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		pass func([]byte) ([]byte, error)
	}{
		"issue":  {foreignIssue, recode(DecodeIssue, EncodeIssue)},
		"schema": {foreignSchema, recode(DecodeSchema, EncodeSchema)},
		"event":  {foreignEvent, recode(DecodeEvent, EncodeEvent)},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := c.pass([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(generic(t, []byte(c.text)), generic(t, out)); d != "" {
				t.Errorf("keys differ (-read +written):\n%s", d)
			}
		})
	}
}

func TestUnknownKeysAreWrittenAsTheyWereRead(t *testing.T) {
	i := must(DecodeIssue([]byte(foreignIssue)))
	out := must(EncodeIssue(i))
	for _, want := range []string{`"er": "<&>"`, `"new": 1e400`, `"title": "a <b> & c"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

func TestAMissingKeyIsItsZeroValue(t *testing.T) {
	if i := must(DecodeIssue([]byte(`{}`))); !cmp.Equal(i, Issue{}) {
		t.Errorf("%+v", i)
	}
	if i := must(DecodeIssue([]byte(`{"labels":null,"gave_up":null,"comments":[null]}`))); len(i.Comments) != 1 || i.GaveUp != nil {
		t.Errorf("%+v", i)
	}
}

func TestKnownKeysNeverComeFromExtra(t *testing.T) {
	out := must(EncodeIssue(Issue{ID: "native:1", Extra: Extra{"ID": json.RawMessage(`"forged"`)}}))
	if i := must(DecodeIssue(out)); i.ID != "native:1" || i.Extra != nil {
		t.Errorf("%+v from\n%s", i, out)
	}
}

func TestInstantsAreWrittenInUTC(t *testing.T) {
	i := must(DecodeIssue([]byte(`{"created_at":"2026-11-30T18:00:00.123456789+01:00"}`)))
	if out := must(EncodeIssue(i)); !strings.Contains(string(out), `"2026-11-30T17:00:00.123456789Z"`) {
		t.Errorf("written as\n%s", out)
	}
}

func TestSchemaWritesEmptyLists(t *testing.T) {
	out := must(EncodeSchema(Schema{States: []State{{Name: "a"}}, Fields: []Field{{Name: "f", Type: FieldText}}, Views: nil}))
	for _, want := range []string{`"views": []`, `"enum_values": []`, `"default": null`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

func TestDecodeRefusesWhatIsNoRecord(t *testing.T) {
	for _, text := range []string{"", " ", "null", "[]", `"x"`, "{", `{"id":"a"`, `{"id":"a"}x`, `{"id":"a"}{}`, `{"id":7}`, `{"new":1,"id":7}`, "\x00\x00"} {
		if i, err := DecodeIssue([]byte(text)); err == nil {
			t.Errorf("%q is %+v", text, i)
		}
		if _, err := DecodeSchema([]byte(strings.ReplaceAll(text, "id", "states"))); err == nil {
			t.Errorf("schema %q", text)
		}
		if _, err := DecodeEvent([]byte(strings.ReplaceAll(text, `"id":7`, `"seq":"7"`))); err == nil && !strings.Contains(text, `"a"}`) {
			t.Errorf("event %q", text)
		}
	}
}

func TestIssueCanBeEmbeddedInWiderRecords(t *testing.T) {
	out := must(json.Marshal(struct {
		Issue
		Wider int `json:"wider"`
	}{Issue{ID: "native:1"}, 1}))
	if !strings.Contains(string(out), `"wider":1`) || !strings.Contains(string(out), `"id":"native:1"`) {
		t.Errorf("written as %s", out)
	}
}

func FuzzIssueCodec(f *testing.F)  { fuzz(f, foreignIssue, DecodeIssue, EncodeIssue) }
func FuzzSchemaCodec(f *testing.F) { fuzz(f, foreignSchema, DecodeSchema, EncodeSchema) }
func FuzzEventCodec(f *testing.F)  { fuzz(f, foreignEvent, DecodeEvent, EncodeEvent) }

// fuzz checks that what can be read is written, and read back the same.
func fuzz[T any](f *testing.F, seed string, decode func([]byte) (T, error), encode func(T) ([]byte, error)) {
	f.Add([]byte(seed))
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"ID":"a","id":"b","new":{"ID":1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := decode(data)
		if err != nil {
			return
		}
		out, err := encode(first)
		if err != nil {
			t.Fatalf("encode %q: %v", data, err)
		}
		second, err := decode(out)
		if err != nil {
			t.Fatalf("decode own %q: %v", out, err)
		}
		if d := cmp.Diff(first, second, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("%q\nbecame %q\n%s", data, out, d)
		}
	})
}

func BenchmarkDecodeIssue(b *testing.B) {
	data := must(EncodeIssue(Issue{
		ID: NewID(), Title: "a card", Body: strings.Repeat("some words ", 60), State: StateReady, Labels: []string{"a", "b"},
		BotArgs: map[string]string{"k": "v"}, Runs: []RunRef{{RunID: "r", At: time.Now()}}, CreatedAt: time.Now(), UpdatedAt: time.Now(),
	}))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := DecodeIssue(data); err != nil {
			b.Fatal(err)
		}
	}
}

func recode[T any](decode func([]byte) (T, error), encode func(T) ([]byte, error)) func([]byte) ([]byte, error) {
	return func(data []byte) ([]byte, error) {
		v, err := decode(data)
		if err != nil {
			return nil, err
		}
		return encode(v)
	}
}

// generic reads JSON with numbers as they are written.
func generic(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := unmarshal(data, &v, false); err != nil {
		t.Fatal(err)
	}
	return v
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("unexpected: ", err))
	}
	return v
}

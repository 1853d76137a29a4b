package control

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"iterion/native/board"
	"iterion/native/run"
)

func TestFrameIsOneLineThatReadsBackAsItWas(t *testing.T) {
	for name, f := range map[string]Frame{
		"nothing": {},
		"cards": {Full: true, Seq: 7, Gone: []string{"native:x"}, Cards: []Card{
			{Issue: board.Issue{ID: "native:1", Title: "a\nb", State: "ready"}, Comments: 2},
			{Issue: board.Issue{ID: "native:2", State: "done"}, OpenBlockers: []string{"native:1"}},
		}},
		"runs":   {Runs: []run.Record{{ID: "1"}, {ID: "2"}}, Status: &Status{PID: 3}},
		"broken": {Seq: -1, Broken: []Broken{{ID: "q", Path: "p", Error: "e"}}},
	} {
		var out bytes.Buffer
		if err := writeFrame(&out, f); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
			t.Errorf("%s: not one line: %q", name, text)
		}
		want, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var got, plain any
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := json.Unmarshal(want, &plain); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plain, got); diff != "" {
			t.Errorf("%s: (-marshalled +written)\n%s", name, diff)
		}
	}
}

package exchange

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"iterion/native/board"
)

func TestDraftComesBackAsItWas(t *testing.T) {
	for name, d := range map[string]Draft{
		"empty": {},
		"whole": {
			Title: "a: 'b' # c", State: "inbox", Labels: []string{"x", "a, b", "- y"}, Priority: -2, Assignee: "@bob", Bot: "shell",
			BotArgs: map[string]string{"command": "echo a\necho b"}, Blockers: []string{"native:1"}, Parent: "native:2",
			Fields: map[string]string{"size": "3", "sure": "true", "due": "2026-01-02"}, Body: "# Head\n\n---\n\ntext",
		},
	} {
		doc, err := d.Text("states: inbox,\nready")
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseDraft(doc)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, doc)
		}
		if diff := cmp.Diff(d, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: not as it was (-want +got):\n%s", name, diff)
		}
		if !strings.Contains(doc, "\n# states: inbox, ready\n---\n") {
			t.Errorf("no hint:\n%s", doc)
		}
	}
}

func TestDraftRefusesWhatItCannotRead(t *testing.T) {
	for doc, want := range map[string]string{
		"":                                "three dashes",
		"title: x":                        "three dashes",
		"---\ntitle: x\n":                 "dashes is missing",
		"---\ntitel: x\n---\n":            "titel",
		"---\npriority: high\n---\n":      "want a whole number, found `high`",
		"---\nbogus: 1\n---\n":            `there is no key "bogus"`,
		"---\ntitle: [a]\n---\n":          "a list stands where none belongs",
		"---\ntitle: {a: b}\n---\n":       "names with values stand where none belong",
		"---\nlabels: a\n---\n":           "want a list or names with values, found `a`",
		"---\nfields: a\n---\n":           "want a list or names with values, found `a`",
		"---\ntitle: [x\n---\n":           "line",
		"---\nlabels: {a: b}\n---\nx":     "line 1",
		"---\ntitle: a\ntitle: b\n---\nx": "already defined",
	} {
		_, err := ParseDraft(doc)
		if !errors.Is(err, board.ErrInvalid) || !strings.Contains(err.Error()+doc, want) {
			t.Errorf("%q: %v", doc, err)
		}
		if strings.Contains(err.Error(), "exchange.") || strings.Contains(err.Error(), "!!") {
			t.Errorf("%q is told in the program's types: %v", doc, err)
		}
	}
	if d, err := ParseDraft("---\n---\n\nonly text\n"); err != nil || d.Body != "only text" {
		t.Errorf("%+v, %v", d, err)
	}
}

func FuzzDraft(f *testing.F) {
	f.Add("---\ntitle: x\nlabels: [a]\nfields: {size: 3}\n---\n\ntext\n")
	f.Add("---\n---\n")
	f.Add("---\n---\n\r")
	f.Fuzz(func(t *testing.T, doc string) {
		d, err := ParseDraft(doc)
		if err != nil {
			if !errors.Is(err, board.ErrInvalid) {
				t.Error(err)
			}
			return
		}
		again, err := d.Text("hint")
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseDraft(again)
		if err != nil {
			t.Fatalf("%v\n%s", err, again)
		}
		if diff := cmp.Diff(d, back, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("not as it was:\n%s", diff)
		}
	})
}

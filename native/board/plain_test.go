package board

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestWhatIsWrongWithACardIsSaidInPlainWords(t *testing.T) {
	for doc, want := range map[string]string{
		`{"id":"native:x","labels":"a"}`:                  "labels: want a list, found string",
		`{"id":"native:x","title":5}`:                     "title: want a text, found number",
		`{"id":"native:x","priority":1.5}`:                "priority: want a whole number, found number 1.5",
		`{"id":"native:x","awaiting_input":"yes"}`:        "awaiting_input: want true or false, found string",
		`{"id":"native:x","bot_args":[]}`:                 "bot_args: want an object, found array",
		`{"id":"native:x","comments":[7]}`:                "want an object, found number",
		`{"id":"native:x","created_at":"yesterday"}`:      `"yesterday" is no instant such as 2026-11-30T09:00:00Z`,
		`{"id":"native:x","external":{"number":"seven"}}`: "number: want a whole number, found string",
	} {
		_, err := DecodeIssue([]byte(doc))
		if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v, want %s", doc, err, want)
		}
	}
	var typed *json.UnmarshalTypeError
	if _, err := DecodeIssue([]byte(`{"title":5}`)); !errors.As(err, &typed) {
		t.Errorf("the cause is lost: %v", err)
	}
}

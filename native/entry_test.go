package native

import (
	"testing"

	"iterion/native/board"
)

func TestEntryIsOfTheFileThatItsCardIsKeptIn(t *testing.T) {
	for id, names := range map[string]map[string]bool{
		"native:x": {"native__x.json": true, "native:x.json": false, "native__x": false, "native__xx.json": false, "native__.json": false,
			"nativ__x.json": false, "native_x.json": false, ".json": false, "": false, "native__x.json.json": false},
		"plain":   {"plain.json": true, "plain__.json": false, "plai.json": false},
		"a:b:c":   {"a__b__c.json": true, "a__b:c.json": false, "a__b.json": false},
		"a__b":    {"a__b.json": true},
		"x.json":  {"x.json.json": true, "x.json": false},
		"native:": {"native__.json": true, "native.json": false},
	} {
		e := &entry{facts: board.Facts{ID: id}}
		for name, want := range names {
			if e.named(name) != want {
				t.Errorf("%q is the file of %q: %v", name, id, !want)
			}
		}
		if !e.named(e.name()) {
			t.Errorf("%q is not the file of %q", e.name(), id)
		}
	}
}

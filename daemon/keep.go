package daemon

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// encodeOver encodes v, a struct, in the place of an older record of the same thing
// and takes along the keys of that one which v has no field for: a newer version,
// or another program, may have put them there. An older record that is no object
// has none.
func encodeOver(v any, old json.RawMessage) (json.RawMessage, error) {
	out, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(old, &all) != nil {
		return out, nil
	}
	known := reflect.TypeOf(v)
	maps.DeleteFunc(all, func(key string, _ json.RawMessage) bool { return hasField(known, key) })
	for _, key := range slices.Sorted(maps.Keys(all)) {
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		out = append(out[:len(out)-1], ',')
		out = append(append(append(append(out, name...), ':'), all[key]...), '}')
	}
	return out, nil
}

// hasField reports whether a struct has a field for a key. Like encoding/json it
// does not look at case.
func hasField(t reflect.Type, key string) bool {
	for f := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(f).Tag.Get("json"), ",")
		if strings.EqualFold(name, key) {
			return true
		}
	}
	return false
}

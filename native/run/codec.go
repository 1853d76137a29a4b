package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// Encode returns the record as run.json holds it, unknown keys included.
func (r Record) Encode() ([]byte, error) {
	r.FormatVersion = FormatVersion
	if len(r.Extra) == 0 {
		return json.MarshalIndent(r, "", "  ")
	}
	known, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	all := make(map[string]json.RawMessage, len(r.Extra)+32)
	if err := json.Unmarshal(known, &all); err != nil {
		return nil, err
	}
	for k, v := range r.Extra {
		if !knownKeys()[k] {
			all[k] = v
		}
	}
	return json.MarshalIndent(all, "", "  ")
}

// Decode reads a run.json. A record without an id or a status is refused: an
// empty object must not pass for a run.
func Decode(data []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, err
	}
	if r.ID == "" || r.Status == "" {
		return Record{}, errors.New("it has no id or no status")
	}
	if r.FormatVersion > FormatVersion {
		return Record{}, fmt.Errorf("its format version is %d, this iterion reads up to %d", r.FormatVersion, FormatVersion)
	}
	extra, err := unknown(data)
	r.Extra = extra
	return r, err
}

func unknown(data []byte) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	for k := range all {
		if knownKeys()[k] {
			delete(all, k)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

var knownKeys = sync.OnceValue(func() map[string]bool {
	keys := map[string]bool{}
	for f := range reflect.TypeFor[Record]().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			keys[name] = true
		}
	}
	return keys
})

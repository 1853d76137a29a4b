package supervise

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"iterion/native/run"
)

// maxOutput bounds what a run's outputs are in all, names and JSON, in bytes.
const maxOutput = 1 << 20

// maxNames bounds how many names one event of outputs holds.
const maxNames = 100

// results are the outputs of a run: JSON texts by name.
type results struct {
	values map[string]json.RawMessage
	size   int
}

// readResults returns the outputs of a run's earlier lives.
func readResults(runDir string) (results, error) {
	data, err := os.ReadFile(filepath.Join(runDir, run.OutputFile))
	if errors.Is(err, fs.ErrNotExist) {
		return results{}, nil
	}
	var values map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &values)
	}
	if err != nil {
		return results{}, fmt.Errorf("read the outputs so far: %w", err)
	}
	var r results
	for name, value := range values {
		r.set(name, value)
	}
	return r, nil
}

// set keeps a value, a name reported again takes its new one. It reports whether
// there was room for it.
func (r *results) set(name string, value json.RawMessage) bool {
	size := r.size + len(name) + len(value)
	if old, ok := r.values[name]; ok {
		size -= len(name) + len(old)
	}
	if size > maxOutput {
		return false
	}
	if r.values == nil {
		r.values = map[string]json.RawMessage{}
	}
	r.values[name], r.size = value, size
	return true
}

// all returns the outputs as a run's folder keeps them.
func (r results) all() map[string]any {
	out := make(map[string]any, len(r.values))
	for name, value := range r.values {
		out[name] = value
	}
	return out
}

func (a *account) addOutput(data map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(data)) {
		shown := a.hide.clean(name)
		if !a.output.set(shown, a.cleanJSON(data[name])) {
			a.complain("output", fmt.Sprintf("the outputs are larger than %d bytes in all: %q and maybe others were left out", maxOutput, shown))
			continue
		}
		if len(a.said.outputs) < maxNames && !slices.Contains(a.said.outputs, shown) {
			a.said.outputs = append(a.said.outputs, shown)
		}
	}
}

// cleanJSON blots secrets out of every string in a JSON text, names included, and
// out of numbers. A text with a backslash is taken apart: what it spells may look
// different. So is one that would be no JSON any more.
func (a *account) cleanJSON(text json.RawMessage) json.RawMessage {
	if len(a.hide.secrets) == 0 {
		return text
	}
	if bytes.IndexByte(text, '\\') < 0 {
		if clean := []byte(a.hide.clean(string(text))); json.Valid(clean) {
			return clean
		}
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber() // a long number stays what it is
	var v any
	err := in.Decode(&v)
	if err == nil {
		text, err = json.Marshal(a.cleanValue(v))
	}
	if err != nil { // it was read as JSON before
		return json.RawMessage("null")
	}
	return text
}

func (a *account) cleanValue(v any) any {
	switch v := v.(type) {
	case string:
		return a.hide.clean(v)
	case json.Number:
		if clean := a.hide.clean(v.String()); clean != v.String() {
			return clean
		}
	case []any:
		for i := range v {
			v[i] = a.cleanValue(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, value := range v {
			clean[a.hide.clean(name)] = a.cleanValue(value)
		}
		return clean
	}
	return v
}

// addResult keeps the agent's final text, unless the bot reported a result of its
// own, or asks something and will go on. One that is too long keeps its beginning.
func (a *account) addResult(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, own := a.output.values["result"]; own || text == "" || a.ask != nil {
		return
	}
	if most := maxOutput / 2; len(text) > most {
		a.complain("result", fmt.Sprintf("the agent's result is longer than %d bytes: its end was left out", most))
		text = text[:most]
	}
	value, err := json.Marshal(a.hide.clean(text))
	if err == nil {
		a.addOutput(map[string]json.RawMessage{"result": value})
	}
}

package board

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Extra holds the keys of a JSON object that this version does not know, each
// with its value as it was read.
type Extra map[string]json.RawMessage

var errTrailing = errors.New("something follows the object")

// decode reads one JSON object into v and returns the keys that v has no field
// for. Objects without unknown keys, nearly all, are read in one pass.
func decode[T any](data []byte, v *T) (Extra, error) {
	if unmarshal(data, v, true) == nil {
		return nil, nil
	}
	var zero T
	*v = zero
	if err := unmarshal(data, v, false); err != nil {
		return nil, err
	}
	return unknown(data, reflect.TypeFor[T]())
}

func unmarshal(data []byte, v any, strict bool) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(v); err != nil {
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		return PlainJSON(err)
	}
	if len(bytes.TrimSpace(data[d.InputOffset():])) > 0 {
		return errTrailing
	}
	return nil
}

// unknown returns the keys of the object in data that no field of t takes.
func unknown(data []byte, t reflect.Type) (Extra, error) {
	var all Extra
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(key string, _ json.RawMessage) bool { return takes(t, key) })
	if len(all) == 0 {
		return nil, nil
	}
	for key, raw := range all {
		var b bytes.Buffer
		if err := json.Compact(&b, raw); err != nil {
			return nil, err
		}
		all[key] = b.Bytes()
	}
	return all, nil
}

// takes reports whether a struct of type t has a field for key. Like
// encoding/json it does not look at case.
func takes(t reflect.Type, key string) bool {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "-" && strings.EqualFold(name, key) {
			return true
		}
	}
	return false
}

// encode writes v as a JSON object followed by the unknown keys, in order.
func encode[T any](v T, extra Extra) ([]byte, error) {
	out, err := marshal(v)
	if err != nil || len(extra) == 0 {
		return out, err
	}
	out = out[:len(out)-1] // the closing brace
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		if takes(reflect.TypeFor[T](), key) {
			continue
		}
		name, err := marshal(key)
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), extra[key]...)
	}
	return append(out, '}'), nil
}

// marshal is json.Marshal that leaves <, > and & readable.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// object refuses JSON that is not an object, which encoding/json lets pass as
// an empty one when it is null.
func object(data []byte) error {
	if t := bytes.TrimSpace(data); len(t) == 0 || t[0] != '{' {
		return errors.New("not a JSON object")
	}
	return nil
}

// indented lays a record out for a file that people read and diff.
func indented(data []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

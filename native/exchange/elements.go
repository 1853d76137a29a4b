package exchange

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"iterion/native/board"
)

// beginning skips what may stand in front of JSON and returns its first byte, 0
// for none.
func beginning(r *bufio.Reader) byte {
	if bom, _ := r.Peek(3); string(bom) == "\ufeff" {
		_, _ = r.Discard(3)
	}
	for {
		head, err := r.Peek(1)
		if err != nil {
			return 0
		}
		switch head[0] {
		case ' ', '\t', '\r', '\n':
			_, _ = r.Discard(1)
		default:
			return head[0]
		}
	}
}

// eachElement hands the elements of an array to fn without looking at what is in
// them, one at a time; so it does with objects that follow each other.
func eachElement(in io.Reader, fn func(json.RawMessage) error) error {
	r := bufio.NewReader(in)
	first := beginning(r)
	d := json.NewDecoder(r)
	switch first {
	case '[':
		if _, err := d.Token(); err != nil {
			return noArray(err)
		}
	case '{':
		return eachValue(d, fn)
	default:
		return noArray(errors.New("it begins with something else"))
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return noArray(err)
		}
		if err := fn(raw); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return noArray(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return noArray(errors.New("something follows it"))
	}
	return nil
}

func eachValue(d *json.Decoder, fn func(json.RawMessage) error) error {
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = fn(raw)
		} else {
			err = noArray(err)
		}
		if err != nil {
			return err
		}
	}
}

// noArray tells what is no JSON from what could not be read.
func noArray(err error) error {
	var syntax *json.SyntaxError
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	} else if errors.As(err, &syntax) {
		err = fmt.Errorf("%w, near byte %d", syntax, syntax.Offset)
	}
	return fmt.Errorf("%w: want one JSON array: %w", board.ErrInvalid, err)
}

// elements returns all elements.
func elements(in io.Reader) ([]json.RawMessage, error) {
	var all []json.RawMessage
	err := eachElement(in, func(raw json.RawMessage) error {
		all = append(all, raw)
		return nil
	})
	return all, err
}

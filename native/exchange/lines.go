package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"iterion/native/board"
)

// WriteLine writes a card as one line.
func WriteLine(w io.Writer, i board.Issue) error {
	data, err := board.EncodeIssue(i)
	if err != nil {
		return err
	}
	return WriteFileAsLine(w, data)
}

// WriteFileAsLine writes a card in its file form as one line.
func WriteFileAsLine(w io.Writer, card []byte) error {
	var line bytes.Buffer
	line.Grow(len(card))
	if err := json.Compact(&line, card); err != nil {
		return fmt.Errorf("write a card as a line: %w", err)
	}
	line.WriteByte('\n')
	_, err := w.Write(line.Bytes())
	return err
}

// EachLine hands cards to fn, which stand one a line or all in one array, one at a
// time. An error that is not fn's says that it is no such input; a card that is
// bad by itself is an Item with an Err.
func EachLine(in io.Reader, fn func(Item) error) error {
	r := bufio.NewReader(in)
	if isArray(r) {
		n := 0
		return eachElement(r, func(raw json.RawMessage) error {
			n++
			return fn(card(fmt.Sprintf("card %d", n), raw))
		})
	}
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read line %d: %w", n, err)
		}
		if line := bytes.TrimSpace(line); len(line) > 0 {
			if err := fn(card(fmt.Sprintf("line %d", n), line)); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

func card(where string, data []byte) Item {
	i, err := board.DecodeIssue(data)
	if err == nil && i.ID == "" {
		err = fmt.Errorf("%w: the card has no id", board.ErrInvalid)
	}
	return Item{Where: where, Record: board.Record{Issue: i}, Err: invalid(err)}
}

// isArray looks at the first byte that counts, and leaves the lines in front of
// it to be counted.
func isArray(r *bufio.Reader) bool {
	if bom, _ := r.Peek(3); string(bom) == "\ufeff" {
		_, _ = r.Discard(3)
	}
	for n := 1; ; n++ {
		head, err := r.Peek(n)
		if err != nil {
			return false
		}
		switch head[n-1] {
		case ' ', '\t', '\r', '\n':
		default:
			return head[n-1] == '['
		}
	}
}

// invalid makes an error of a record one of the input.
func invalid(err error) error {
	if err == nil || errors.Is(err, board.ErrInvalid) {
		return err
	}
	return fmt.Errorf("%w: %w", board.ErrInvalid, board.PlainJSON(err))
}

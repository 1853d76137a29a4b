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

// ReadLines reads cards, one a line or all in one array.
func ReadLines(in io.Reader) (Result, error) {
	r := bufio.NewReader(in)
	if bom, _ := r.Peek(3); string(bom) == "\ufeff" {
		_, _ = r.Discard(3)
	}
	if isArray(r) {
		return readArray(r)
	}
	var res Result
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return res, fmt.Errorf("read line %d: %w", n, err)
		}
		if line := bytes.TrimSpace(line); len(line) > 0 {
			res.Items = append(res.Items, card(fmt.Sprintf("line %d", n), line))
		}
		if err != nil {
			return res, nil
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

// isArray looks at the first byte that counts.
func isArray(r *bufio.Reader) bool {
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

func readArray(in io.Reader) (Result, error) {
	raw, err := elements(in)
	if err != nil {
		return Result{}, err
	}
	var res Result
	for n, data := range raw {
		res.Items = append(res.Items, card(fmt.Sprintf("card %d", n+1), data))
	}
	return res, nil
}

// elements reads an array without looking at what is in it.
func elements(in io.Reader) ([]json.RawMessage, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read the input: %w", err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("%w: want one JSON array: %w", board.ErrInvalid, err)
	}
	return raw, nil
}

// invalid makes an error of a record one of the input.
func invalid(err error) error {
	if err == nil || errors.Is(err, board.ErrInvalid) {
		return err
	}
	return fmt.Errorf("%w: %w", board.ErrInvalid, err)
}

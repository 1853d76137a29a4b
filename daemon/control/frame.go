package control

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// writeFrame writes a frame as one line, record by record: the first one holds a
// whole board, which is not to be in memory once more as its text.
func writeFrame(w io.Writer, f Frame) error {
	cards, runs := f.Cards, f.Runs
	f.Cards, f.Runs = nil, nil
	head, err := json.Marshal(f)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 32<<10)
	head = bytes.TrimSuffix(head, []byte("}"))
	out.Write(head) // a failure stays with out
	if err := writeList(out, "cards", cards); err != nil {
		return err
	}
	if err := writeList(out, "runs", runs); err != nil {
		return err
	}
	out.WriteString("}\n")
	return out.Flush()
}

// writeList adds a list to an object that is being written and has a key already.
func writeList[T any](out *bufio.Writer, key string, all []T) error {
	if len(all) == 0 {
		return nil
	}
	out.WriteString(`,"` + key + `":[`)
	for n := range all {
		if n > 0 {
			out.WriteByte(',')
		}
		one, err := json.Marshal(&all[n])
		if err != nil {
			return err
		}
		out.Write(one)
	}
	return out.WriteByte(']')
}

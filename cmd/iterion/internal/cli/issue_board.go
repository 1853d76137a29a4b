package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

func newIssueBoard(f *Factory) *cobra.Command {
	return group("board", "Show and change the board itself: columns, fields, views",
		newBoardShow(f), newBoardInit(f), newBoardSet(f), newBoardRename(f), newBoardValidate(f))
}

// readSchema reads a board from a file or, for "-", from standard input, and
// checks it.
func readSchema(f *Factory, name string) (board.Schema, error) {
	var s board.Schema
	data, err := f.readInput(name)
	if err != nil {
		return s, Usagef("read board: %w", err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, Usagef("read board %s: line %d: %v", name, lineOf(data, err), err)
	}
	if err := s.Validate(); err != nil {
		return s, Usagef("board %s: %w", name, err)
	}
	return s, nil
}

// newSchema reads the board that a store is to get. It lacks no column that the
// next opening would add: what is set is what is there.
func (f *Factory) newSchema(name string) (board.Schema, error) {
	s, err := readSchema(f, name)
	if err != nil {
		return s, err
	}
	up, more := board.Upgrade(s)
	if more {
		added := slices.DeleteFunc(up.StateNames(), func(n string) bool { return s.CheckState(n) == nil })
		f.Talk("added to %s, as a board with its columns has them: %s", name, strings.Join(added, ", "))
	}
	return up, nil
}

// lineOf returns the line that a JSON error points at, 1 when it does not say.
func lineOf(data []byte, err error) int {
	var at int64
	switch e := err.(type) {
	case *json.SyntaxError:
		at = e.Offset
	case *json.UnmarshalTypeError:
		at = e.Offset
	}
	return 1 + bytes.Count(data[:min(int(at), len(data))], []byte("\n"))
}

func newBoardShow(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show columns with their cards counted, fields and views", Args: exactly(),
		Long: "Show columns with their cards counted, fields and views. --json prints the board as\n" +
			"`iterion issue board set` takes it.",
		RunE: func(c *cobra.Command, _ []string) error { return runBoardShow(c.Context(), f) },
	}
}

func runBoardShow(ctx context.Context, f *Factory) error {
	b, s, err := f.BoardAndSchema(ctx)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.PrintJSON(s)
	}
	count := map[string]int{}
	broken, err := eachPart(ctx, b, func(is *struct{ State string }) { count[is.State]++ })
	if err != nil {
		return fmt.Errorf("count cards: %w", err)
	}
	for i := range broken {
		f.Warn("%v", &broken[i])
	}
	printColumns(f, s, count)
	printFields(f, s)
	printViews(f, s)
	return nil
}

// printColumns prints the columns with their cards, counted by the column's name.
func printColumns(f *Factory, s board.Schema, count map[string]int) {
	t := Table{Head: []string{"STATE", "CARDS", "KIND", "DISPLAY"}}
	for _, st := range s.States {
		t.Row(st.Name, fmt.Sprint(count[st.Name]), stateKind(st), st.Display)
		delete(count, st.Name)
	}
	t.Print(f)
	for _, name := range slices.Sorted(maps.Keys(count)) {
		f.Warn("%d cards are in %q, which is no column of the board", count[name], name)
	}
}

func stateKind(st board.State) string {
	var kinds []string
	if st.Eligible {
		kinds = append(kinds, "eligible")
	}
	if st.Terminal {
		kinds = append(kinds, "terminal")
	}
	return strings.Join(kinds, ", ")
}

func printFields(f *Factory, s board.Schema) {
	if len(s.Fields) == 0 {
		return
	}
	f.Say("")
	t := Table{Head: []string{"FIELD", "TYPE", "REQUIRED", "VALUES"}}
	for _, fd := range s.Fields {
		t.Row(fd.Name, fd.Type, yes(fd.Required), strings.Join(fd.EnumValues, ", "))
	}
	t.Print(f)
}

func printViews(f *Factory, s board.Schema) {
	if len(s.Views) == 0 {
		return
	}
	f.Say("")
	t := Table{Head: []string{"VIEW", "SHOWS"}}
	for _, v := range s.Views {
		t.Row(v.Name, viewText(v))
	}
	t.Print(f)
}

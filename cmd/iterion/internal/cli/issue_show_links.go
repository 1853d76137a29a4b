package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"iterion/native/board"
)

// blockerRows say what a card waits for, and how far that is.
func blockerRows(ctx context.Context, b board.Store, is board.Issue) [][2]string {
	var rows [][2]string
	for _, id := range is.Blockers {
		text := id
		switch blocker, err := b.Get(ctx, id); {
		case errors.Is(err, board.ErrNotFound):
			text += "  open: not on the board"
		case err != nil:
			text += "  open: cannot be read"
		case is.SatisfiedBy(blocker):
			text += "  satisfied: " + cardText(blocker)
		default:
			text += "  open: " + cardText(blocker)
		}
		rows = append(rows, [2]string{"blockers", text})
	}
	return onceNamed(rows)
}

// dependentRows name the cards that a card is a blocker of.
func dependentRows(ctx context.Context, f *Factory, b board.Store, is board.Issue) ([][2]string, error) {
	var rows [][2]string
	broken, err := eachFile(ctx, b, board.Query{}, func(card []byte) error {
		var held struct{ Blockers []string }
		if err := json.Unmarshal(card, &held); err != nil || !slices.Contains(held.Blockers, is.ID) {
			return err
		}
		d, err := board.DecodeIssue(card)
		rows = append(rows, [2]string{"blocks", d.ID + "  " + cardText(d)})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list issues: %w", err)
	}
	for i := range broken {
		f.Warn("%v", &broken[i])
	}
	return onceNamed(rows), nil
}

// onceNamed leaves the name to the first of several rows.
func onceNamed(rows [][2]string) [][2]string {
	for n := range rows {
		if n > 0 {
			rows[n][0] = ""
		}
	}
	return rows
}

func cardText(is board.Issue) string { return visibleLine(is.Title) + " (" + is.State + ")" }

func refusalText(l *board.LaunchRefusal) string {
	if l == nil {
		return ""
	}
	s := fmt.Sprintf("%d launches: %s", l.Attempts, visibleLine(l.LastReason))
	if !l.NotBefore.IsZero() {
		s += ", not before " + instant(l.NotBefore)
	}
	return s
}

func externalText(e *board.External) string {
	if e == nil {
		return ""
	}
	what := e.Repo
	if e.Number != 0 {
		what += fmt.Sprintf("#%d", e.Number)
	}
	return strings.Join(strings.Fields(visibleLine(strings.Join([]string{e.Provider, what, e.State, e.URL}, " "))), " ")
}

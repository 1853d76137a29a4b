package kit

import (
	"iterion/native/board"
	"iterion/native/run"
)

// Short is a card id as people meet it, here and in what commands print and take.
func Short(id string) string { return Clean(board.ShortID(id)) }

// ShortRun is the same for a run.
func ShortRun(id string) string { return Clean(run.Short(id)) }

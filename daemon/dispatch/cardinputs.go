package dispatch

import "iterion/native/board"

// CardInputs returns what a card says to a bot that a person starts for it by
// hand: the same inputs as those of a dispatched run, but for the vars that the
// dispatcher's config would add.
func CardInputs(bot Bot, is board.Issue, runID, workdir string) (map[string]string, error) {
	return inputs(bot, nil, launchFacts{issue: is, runID: runID, workdir: workdir, attempt: 1})
}

package agent

import (
	"maps"
	"slices"
	"strings"
)

// note ends the first prompt of a session: what an agent that runs unattended has
// to know of the program around it.
const note = `You work unattended in a run of iterion. To ask a person something, run ` +
	"`iterion report ask --question 'TEXT'`" + ` and end your turn: the answer begins the next one.
To tell how far you are, run ` + "`iterion report progress 'TEXT'`" + `.`

const goOn = "Your last turn was interrupted. Look at what is done already and go on with the task until it is finished."

// Text returns what the agent is told. A session that is gone on with knows its
// task and gets what is new: the answers of a person, or that it was interrupted.
// Without a session the task is told from its beginning, whatever p says.
func (s Start) Text(p Prompt) string {
	if p.Resume && s.Session != "" {
		return strings.Join(append(p.answers(), p.bidding()), "\n\n") + "\n"
	}
	parts := append([]string{strings.TrimSpace(p.Task)}, p.answers()...)
	return strings.Join(append(parts, "---\n"+note), "\n\n") + "\n"
}

func (p Prompt) bidding() string {
	if len(p.Answers) > 0 {
		return "Go on with the task until it is finished."
	}
	return goOn
}

// answers returns nothing when there are none.
func (p Prompt) answers() []string {
	if len(p.Answers) == 0 {
		return nil
	}
	lines := []string{"A person answered:"}
	for _, name := range slices.Sorted(maps.Keys(p.Answers)) {
		lines = append(lines, name+": "+p.Answers[name])
	}
	return []string{strings.Join(lines, "\n")}
}

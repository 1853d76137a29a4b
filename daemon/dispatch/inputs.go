package dispatch

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"iterion/bots/manifest"
	"iterion/native/board"
)

// launchFacts are what a template may refer to.
type launchFacts struct {
	issue      board.Issue
	dispatcher string
	runID      string
	workdir    string
	attempt    int
}

// inputs joins a launch's inputs, low to high: the bot's own dispatch vars, the
// dispatcher's, the card's arguments. Templates are expanded in the first two;
// what a card says is taken as it is.
func inputs(bot Bot, dispatchVars map[string]string, f launchFacts) (map[string]string, error) {
	out := map[string]string{}
	for _, templates := range []map[string]string{bot.DispatchVars, dispatchVars} {
		for _, name := range slices.Sorted(maps.Keys(templates)) {
			value, err := manifest.Expand(templates[name], f.lookup)
			if err != nil {
				return nil, fmt.Errorf("%w: input %s: %w", ErrLaunchRefused, name, err)
			}
			out[name] = value
		}
	}
	maps.Copy(out, f.issue.BotArgs)
	return out, nil
}

// CardInputs returns what a card says to a bot that a person starts for it by
// hand: the same inputs as those of a dispatched run, but for the vars that the
// dispatcher's config would add.
func CardInputs(bot Bot, is board.Issue, runID, workdir string) (map[string]string, error) {
	return inputs(bot, nil, launchFacts{issue: is, runID: runID, workdir: workdir, attempt: 1})
}

// lookup resolves a template reference. A name that the card has no value for
// is empty; a name outside the closed set is refused by Expand.
func (f launchFacts) lookup(name string) (string, bool) {
	if field, ok := strings.CutPrefix(name, "issue.fields."); ok {
		v, has := f.issue.Fields[field]
		if !has || v == nil {
			return "", true
		}
		return fmt.Sprint(v), true
	}
	if strings.HasPrefix(name, "issue.metadata.") {
		return "", true // cards of this board carry none
	}
	if name, ok := strings.CutPrefix(name, "issue."); ok {
		return f.ofIssue(name)
	}
	switch name {
	case "dispatcher.name":
		return f.dispatcher, true
	case "dispatcher.run_id":
		return f.runID, true
	case "dispatcher.workspace_path":
		return f.workdir, true
	case "dispatcher.attempt":
		return strconv.Itoa(f.attempt), true
	}
	return "", false
}

func (f launchFacts) ofIssue(name string) (string, bool) {
	is := f.issue
	switch name {
	case "id":
		return is.ID, true
	case "identifier":
		return board.ShortID(is.ID), true
	case "title":
		return is.Title, true
	case "body":
		return is.Body, true
	case "state":
		return is.State, true
	case "priority":
		return strconv.Itoa(is.Priority), true
	case "assignee":
		return is.Assignee, true
	case "labels":
		return strings.Join(is.Labels, ","), true
	case "url":
		if is.External != nil {
			return is.External.URL, true
		}
		return "", true
	case "created_at":
		return is.CreatedAt.UTC().Format(time.RFC3339), true
	case "updated_at":
		return is.UpdatedAt.UTC().Format(time.RFC3339), true
	}
	return "", false
}

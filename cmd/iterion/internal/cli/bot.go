package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"iterion/bots"
)

func newBot(f *Factory) *cobra.Command {
	return group("bot", "List, make, check and pack bots",
		newBotList(f),
		newBotShow(f),
		newBotNew(f),
		newBotValidate(f),
		newBotPack(f),
	)
}

// botLine is a bot in JSON: one element of `bot list`, the head of `bot show`.
type botLine struct {
	Slug        string `json:"slug"`
	DisplayName string `json:"display_name,omitempty"`
	Icon        string `json:"icon,omitempty"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	WhenToUse   string `json:"when_to_use,omitempty"`
	Tier        string `json:"tier"` // folder, archive or catalog
	Path        string `json:"path"`
	Launchable  bool   `json:"launchable"`
	Problem     string `json:"problem,omitempty"`     // why not
	ShadowedBy  string `json:"shadowed_by,omitempty"` // path of the bundle that is used instead
	// MissingProgram is what has to be installed first, when that is the problem.
	MissingProgram string `json:"missing_program,omitempty"`
	Install        string `json:"install,omitempty"` // how to get the program
}

func newBotLine(e bots.Entry) botLine {
	m := e.Bot.Manifest
	l := botLine{
		Slug: m.Name, DisplayName: m.DisplayName, Icon: m.Icon, Version: m.Version, Description: m.Description,
		WhenToUse: m.WhenToUse, Tier: e.Bot.Tier, Path: e.Path, ShadowedBy: e.ShadowedBy, Install: m.Run.Install,
	}
	err := e.Err
	if err == nil {
		err = e.Bot.Launchable()
	}
	if err != nil {
		l.Problem = err.Error()
	}
	if missing, ok := errors.AsType[*bots.MissingProgramError](err); ok {
		l.MissingProgram = missing.Program
	}
	l.Launchable = err == nil && e.ShadowedBy == ""
	return l
}

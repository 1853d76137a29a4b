package cli

import (
	"github.com/spf13/cobra"

	"iterion/bots"
	"iterion/bots/manifest"
)

func newBotShow(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "show BOT", Short: "Show a bot: what it does, what it wants to be told, how it runs", Args: exactly("BOT"),
		Long: "Show the bot that a name stands for here: what it does, where it was found and which bundles of\n" +
			"that name it hides, how it runs, what it wants to be told, and what keeps it from being started.",
		ValidArgsFunction: f.completeBots,
		RunE:              func(_ *cobra.Command, args []string) error { return runBotShow(f, args[0]) },
	}
}

func runBotShow(f *Factory, slug string) error {
	reg, err := f.Bots()
	if err != nil {
		return err
	}
	b, err := reg.Resolve(slug)
	if err != nil {
		return err
	}
	d := newBotDetail(b, reg.Shadowed(slug))
	if f.Global.JSON {
		return f.PrintJSON(d)
	}
	d.show(f)
	return nil
}

// botDetail is the JSON of `bot show`. Durations are text as in a manifest.
type botDetail struct {
	botLine
	Shadows      []string          `json:"shadows"` // paths of the bundles of this name that are not used
	Run          *botRun           `json:"run,omitempty"`
	Vars         []botVar          `json:"vars"`
	DispatchVars map[string]string `json:"dispatch_vars,omitempty"`
	Retry        *botRetry         `json:"retry,omitempty"`
	Invocations  []botInvocation   `json:"invocations,omitempty"`
	Forge        map[string]any    `json:"forge,omitempty"`
	Ignored      []string          `json:"ignored,omitempty"` // top-level keys that mean nothing here
}

type botRun struct {
	Command  []string          `json:"command,omitempty"`
	Script   string            `json:"script,omitempty"`
	Protocol manifest.Protocol `json:"protocol"`
	Timeout  string            `json:"timeout,omitempty"`
	Stall    string            `json:"stall,omitempty"` // 0: for ever; absent: the dispatcher's
	Resume   bool              `json:"resume"`
	Env      map[string]string `json:"env,omitempty"`
	PassEnv  []string          `json:"pass_env,omitempty"`
	MaxLog   int64             `json:"max_log"` // bytes
}

type botVar struct {
	Name        string   `json:"name"`
	Required    bool     `json:"required"`
	Default     *string  `json:"default,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Description string   `json:"description,omitempty"`
}

type botRetry struct {
	UsageWindow string `json:"usage_window,omitempty"`
	MaxAttempts int    `json:"max_attempts,omitempty"`
	MaxWait     string `json:"max_wait,omitempty"`
	Jitter      string `json:"jitter,omitempty"`
}

// botInvocation is one way to start the bot. Detail says when, in words.
type botInvocation struct {
	Kind    string `json:"kind"`
	Mode    string `json:"mode"`
	ArgsVar string `json:"args_var,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

func newBotDetail(b bots.Bot, behind []bots.Entry) botDetail {
	m := b.Manifest
	d := botDetail{
		botLine: newBotLine(bots.Entry{Bot: b, Path: b.Path()}), Shadows: []string{},
		Vars: []botVar{}, DispatchVars: m.DispatchVars, Forge: m.Forge, Ignored: m.Ignored,
	}
	for _, e := range behind {
		d.Shadows = append(d.Shadows, e.Path)
	}
	for _, v := range m.Vars {
		d.Vars = append(d.Vars, botVar(v))
	}
	for _, i := range m.Invocations {
		d.Invocations = append(d.Invocations, botInvocation{i.Kind, i.Mode, i.ArgsVar, invocationText(i)})
	}
	if r := m.Run; len(r.Command) > 0 || r.Script != "" {
		d.Run = &botRun{r.Command, r.Script, r.Protocol, spanText(r.Timeout), stallText(r.Stall), r.Resume, r.Env, r.PassEnv, r.MaxLog}
	}
	if r := m.Retry; r != (manifest.Retry{}) {
		d.Retry = &botRetry{r.UsageWindow, r.MaxAttempts, spanText(r.MaxWait), spanText(r.Jitter)}
	}
	return d
}

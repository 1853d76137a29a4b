package cli

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"iterion/bots"
	"iterion/bots/manifest"
)

func newBotShow(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "show BOT", Short: "Show a bot: what it does, what it wants to be told, how it runs", Args: exactly("BOT"),
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
	if f.Global.JSON {
		return f.PrintJSON(newBotDetail(b))
	}
	showBot(f, b)
	return nil
}

// botDetail is the JSON of `bot show`. Durations are text as in a manifest.
type botDetail struct {
	botLine
	Run          *botRun              `json:"run,omitempty"`
	Vars         []botVar             `json:"vars"`
	DispatchVars map[string]string    `json:"dispatch_vars,omitempty"`
	Invocations  []manifestInvocation `json:"invocations,omitempty"`
	Ignored      []string             `json:"ignored,omitempty"` // top-level keys that mean nothing here
}

type botRun struct {
	Command  []string          `json:"command,omitempty"`
	Script   string            `json:"script,omitempty"`
	Protocol manifest.Protocol `json:"protocol"`
	Timeout  string            `json:"timeout,omitempty"`
	Stall    string            `json:"stall,omitempty"`
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

type manifestInvocation struct {
	Kind    string `json:"kind"`
	Mode    string `json:"mode"`
	ArgsVar string `json:"args_var,omitempty"`
}

func newBotDetail(b bots.Bot) botDetail {
	d := botDetail{
		botLine: newBotLine(bots.Entry{Bot: b, Path: b.Path()}),
		Vars:    []botVar{}, DispatchVars: b.Manifest.DispatchVars, Ignored: b.Manifest.Ignored,
	}
	for _, v := range b.Manifest.Vars {
		d.Vars = append(d.Vars, botVar(v))
	}
	for _, i := range b.Manifest.Invocations {
		d.Invocations = append(d.Invocations, manifestInvocation{i.Kind, i.Mode, i.ArgsVar})
	}
	if r := b.Manifest.Run; len(r.Command) > 0 || r.Script != "" {
		d.Run = &botRun{r.Command, r.Script, r.Protocol, spanText(&r.Timeout), spanText(r.Stall), r.Resume, r.Env, r.PassEnv, r.MaxLog}
	}
	return d
}

// spanText writes a duration as manifests do: 30m, not 30m0s.
func spanText(d *time.Duration) string {
	if d == nil || *d == 0 {
		return ""
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func showBot(f *Factory, b bots.Bot) {
	m := b.Manifest
	f.Say("%s", strings.TrimSpace(strings.Join([]string{m.Icon, m.Name, m.Version}, " ")))
	for _, row := range botRows(b) {
		if row[1] != "" {
			f.Say("%-10s %s", row[0], strings.ReplaceAll(row[1], "\n", "\n           "))
		}
	}
	for i, v := range m.Vars {
		f.Say("%-10s %s", head("vars", i), varText(v))
	}
	for i, name := range slices.Sorted(maps.Keys(m.DispatchVars)) {
		f.Say("%-10s %s = %q", head("from card", i), name, m.DispatchVars[name])
	}
}

// head names the first line of a list only.
func head(name string, i int) string {
	if i > 0 {
		return ""
	}
	return name
}

func botRows(b bots.Bot) [][2]string {
	m := b.Manifest
	program := strings.Join(m.Run.Command, " ")
	if m.Run.Script != "" {
		program = "sh: " + strings.TrimRight(m.Run.Script, "\n")
	}
	problem := ""
	if err := b.Launchable(); err != nil {
		problem = err.Error()
	}
	return [][2]string{
		{"about", m.Description},
		{"use", m.WhenToUse},
		{"where", b.Path()},
		{"problem", problem},
		{"runs", program},
		{"protocol", string(m.Run.Protocol)},
		{"timeout", spanText(&m.Run.Timeout)},
		{"resume", yes(m.Run.Resume)},
		{"passes", strings.Join(m.Run.PassEnv, ", ")},
		{"ignored", strings.Join(m.Ignored, ", ")},
	}
}

func varText(v manifest.Var) string {
	var notes []string
	if v.Required {
		notes = append(notes, "required")
	}
	if v.Default != nil && *v.Default != "" {
		notes = append(notes, "default "+*v.Default)
	}
	if len(v.Enum) > 0 {
		notes = append(notes, "one of "+strings.Join(v.Enum, ", "))
	}
	s := v.Name
	if len(notes) > 0 {
		s += " (" + strings.Join(notes, "; ") + ")"
	}
	if v.Description != "" {
		s += ": " + v.Description
	}
	return s
}

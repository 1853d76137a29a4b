package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"iterion/bots/manifest"
)

func (d botDetail) show(f *Factory) {
	f.Say("%s", strings.TrimSpace(strings.Join([]string{d.Icon, d.Slug, d.Version}, " ")))
	for _, row := range slices.Concat(d.identity(), d.program(), d.wishes()) {
		if row[1] != "" {
			f.Say("%-10s %s", row[0], strings.ReplaceAll(row[1], "\n", "\n           "))
		}
	}
	for i, v := range d.Vars {
		f.Say("%-10s %s", head("vars", i), v.text())
	}
	for i, name := range slices.Sorted(maps.Keys(d.DispatchVars)) {
		f.Say("%-10s %s = %q", head("from card", i), name, d.DispatchVars[name])
	}
}

// head names the first line of a list only.
func head(name string, i int) string {
	if i > 0 {
		return ""
	}
	return name
}

// identity says which bot it is.
func (d botDetail) identity() [][2]string {
	return [][2]string{
		{"name", d.DisplayName},
		{"about", d.Description},
		{"use", d.WhenToUse},
		{"where", d.Path},
		{"hides", strings.Join(d.Shadows, "\n")},
		{"problem", d.Problem},
	}
}

// program says how it is run.
func (d botDetail) program() [][2]string {
	r := d.Run
	if r == nil {
		return nil
	}
	program := strings.Join(r.Command, " ")
	if r.Script != "" {
		program = "sh: " + strings.TrimRight(r.Script, "\n")
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		env = append(env, name+"="+r.Env[name])
	}
	log := ""
	if r.MaxLog != manifest.DefaultMaxLog {
		log = fmt.Sprintf("at most %d bytes", r.MaxLog)
	}
	return [][2]string{
		{"runs", program},
		{"install", d.Install},
		{"protocol", string(r.Protocol)},
		{"timeout", r.Timeout},
		{"stall", r.Stall},
		{"resume", yes(r.Resume)},
		{"env", strings.Join(env, "\n")},
		{"passes", strings.Join(r.PassEnv, ", ")},
		{"log", log},
	}
}

// wishes says what it would like of its surroundings.
func (d botDetail) wishes() [][2]string {
	rows := [][2]string{{"retry", d.Retry.text()}}
	for i, inv := range d.Invocations {
		text := inv.Kind + ", " + inv.Mode
		if inv.Detail != "" {
			text += ": " + inv.Detail
		}
		rows = append(rows, [2]string{head("starts", i), text})
	}
	var forge []string
	for _, key := range slices.Sorted(maps.Keys(d.Forge)) {
		forge = append(forge, fmt.Sprintf("%s: %v", key, d.Forge[key]))
	}
	return append(rows, [2]string{"forge", strings.Join(forge, "\n")}, [2]string{"ignored", strings.Join(d.Ignored, ", ")})
}

func (r *botRetry) text() string {
	if r == nil {
		return ""
	}
	var parts []string
	for _, part := range [][2]string{{"usage window", r.UsageWindow}, {"wait at most", r.MaxWait}, {"jitter", r.Jitter}} {
		if part[1] != "" {
			parts = append(parts, part[0]+" "+part[1])
		}
	}
	if r.MaxAttempts > 0 {
		parts = append(parts, count(r.MaxAttempts, "wait"))
	}
	return strings.Join(parts, ", ")
}

func (v botVar) text() string {
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

// invocationText says when an invocation starts the bot.
func invocationText(i manifest.Invocation) string {
	switch {
	case i.Board != nil:
		return clauses(clause{"on", i.Board.On}, clause{"to", i.Board.ToStates}, clause{"with", i.Board.AllLabels})
	case i.Schedule != nil:
		return i.Schedule.SuggestedCron
	case i.Keepalive != nil:
		return "every " + spanText(i.Keepalive.Interval)
	case i.Command != nil:
		return "/" + strings.Join(append([]string{i.Command.Name}, i.Command.Aliases...), ", /")
	case i.Forge != nil:
		return clauses(clause{"on", []string{i.Forge.Event}}, clause{"when", i.Forge.Actions})
	}
	return ""
}

type clause struct {
	word string
	list []string
}

// clauses joins those that list something.
func clauses(all ...clause) string {
	var parts []string
	for _, c := range all {
		if len(c.list) > 0 {
			parts = append(parts, c.word+" "+strings.Join(c.list, ", "))
		}
	}
	return strings.Join(parts, ", ")
}

func stallText(d *time.Duration) string {
	switch {
	case d == nil:
		return ""
	case *d == 0:
		return "0" // for ever
	}
	return spanText(*d)
}

// spanText writes a duration as manifests do: 30m, not 30m0s.
func spanText(d time.Duration) string {
	if d == 0 {
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

package manifest

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
)

// invocations reads the list of ways to start the bot. vars are the declared
// names.
func (b *block) invocations(vars []string) []Invocation {
	n := b.take("invocations")
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		b.problem(n, "invocations", "is %s, want a list", kind(n))
		return nil
	}
	out := make([]Invocation, 0, len(n.Content))
	commands := map[string]bool{}
	for i, item := range n.Content {
		in := b.block(item, fmt.Sprintf("invocations[%d]", i))
		inv := in.invocation(vars)
		if inv.Command != nil {
			in.checkTwice(inv.Command, commands)
		}
		out = append(out, inv)
	}
	return out
}

func (b *block) invocation(vars []string) Invocation {
	inv := Invocation{Line: b.node.Line, ArgsVar: b.text("args_var")}
	if inv.ArgsVar != "" {
		b.checkVarName(b.take("args_var"), b.at("args_var"), inv.ArgsVar, vars)
	}
	inv.Kind = b.invocationKind()
	if inv.Kind == "board" {
		inv.Mode = b.choice("mode", "board", "direct")
	} else {
		inv.Mode = b.choice("mode", "direct", "board")
	}
	b.details(&inv, vars)
	b.spare()
	return inv
}

func invocationKinds() []string {
	return []string{"board", "schedule", "keepalive", "command", "forge"}
}

func (b *block) invocationKind() string {
	n := b.take("kind")
	if n == nil {
		b.problem(b.node, b.at("kind"), "is missing, want board, schedule, keepalive, command or forge")
		return ""
	}
	b.oneOf(n, b.at("kind"), invocationKinds())
	return n.Value
}

// details reads the block named like the kind and refuses the others'.
func (b *block) details(inv *Invocation, vars []string) {
	for _, kind := range invocationKinds() {
		n := b.take(kind)
		if n == nil {
			continue
		}
		if kind != inv.Kind {
			b.problem(n, b.at(kind), "does not fit kind: %s, drop one of the two", clip(inv.Kind))
			continue
		}
		in := b.block(n, b.at(kind))
		in.detail(inv, vars)
		in.spare()
	}
	b.checkMissing(*inv)
}

func (b *block) detail(inv *Invocation, vars []string) {
	switch inv.Kind {
	case "board":
		inv.Board = b.onBoard()
	case "schedule":
		inv.Schedule = &OnSchedule{SuggestedCron: b.line("suggested_cron"), DefaultVars: b.defaultVars(vars)}
	case "keepalive":
		inv.Keepalive = b.onKeepalive(vars)
	case "command":
		inv.Command = b.onCommand()
	case "forge":
		inv.Forge = b.onForge()
	}
}

// checkMissing: only a board invocation means something without its block, and
// a schedule waits for the operator's own clock.
func (b *block) checkMissing(inv Invocation) {
	missing := inv.Kind == "keepalive" && inv.Keepalive == nil ||
		inv.Kind == "command" && inv.Command == nil ||
		inv.Kind == "forge" && inv.Forge == nil
	if missing {
		b.problem(b.node, b.at(inv.Kind), "is missing, kind: %s needs it", inv.Kind)
	}
}

func (b *block) onBoard() *OnBoard {
	out := &OnBoard{
		On: b.words("on"), ToStates: b.words("to_states"), AllLabels: b.words("all_labels"),
		ConsumeLabels: b.flag("consume_labels", false),
	}
	if n := b.take("on"); n != nil && n.Kind == yaml.SequenceNode {
		for i, item := range n.Content {
			b.oneOf(follow(item), fmt.Sprintf("%s[%d]", b.at("on"), i), boardEvents())
		}
	}
	return out
}

func boardEvents() []string {
	return []string{
		"card.created", "card.moved", "card.labeled", "card.updated",
		"run.finished", "run.failed", "run.cancelled", "run.paused",
	}
}

// defaultVars reads what an invocation tells the bot; vars are the declared names.
func (b *block) defaultVars(vars []string) map[string]string {
	in := b.sub("default_vars")
	for _, key := range in.keys() {
		b.checkVarName(key, in.at(key.Value), key.Value, vars)
	}
	return in.texts()
}

func (b *block) onKeepalive(vars []string) *OnKeepalive {
	out := &OnKeepalive{DefaultVars: b.defaultVars(vars)}
	switch d := b.span("interval"); {
	case d == nil && b.take("interval") == nil:
		b.problem(b.node, b.at("interval"), "is missing, want a duration of at least %s", MinKeepalive)
	case d != nil && *d < MinKeepalive:
		b.problem(b.take("interval"), b.at("interval"), "is %s, want at least %s", *d, MinKeepalive)
	case d != nil:
		out.Interval = *d
	}
	if d := b.span("stale_after"); d != nil {
		out.StaleAfter = *d
	}
	return out
}

func (b *block) onCommand() *OnCommand {
	out := &OnCommand{
		Name: b.text("name"), Aliases: b.words("aliases"),
		Scope:          b.choice("scope", "any", "issue", "pull_request"),
		MinReplierRole: b.text("min_replier_role"), Disambiguator: b.text("disambiguator"),
	}
	for _, name := range append([]string{out.Name}, out.Aliases...) {
		if !ValidName(name) {
			b.problem(b.node, b.at("name"), "%q is no command name, want %s", clip(name), NameRule)
		}
	}
	return out
}

// checkTwice refuses a command or alias that the bot already has.
func (b *block) checkTwice(c *OnCommand, taken map[string]bool) {
	for _, name := range append([]string{c.Name}, c.Aliases...) {
		if taken[name] {
			b.problem(b.node, b.at("command.name"), "command %q is there already, use each name once", clip(name))
		}
		taken[name] = true
	}
}

func (b *block) onForge() *OnForge {
	out := &OnForge{Event: b.text("event"), Actions: b.words("actions")}
	if !slices.Contains(forgeEvents(), out.Event) {
		b.problem(b.node, b.at("event"), "unknown event %q, did you mean %s?", clip(out.Event), nearestOr(out.Event, forgeEvents()))
	}
	return out
}

func forgeEvents() []string {
	return []string{
		"pull_request", "pull_request_review", "pull_request_review_comment", "merge_request", "issues", "issue_comment",
		"note", "push", "tag", "release", "check_run", "check_suite", "workflow_run", "pipeline",
	}
}

func nearestOr(name string, among []string) string {
	if near := Nearest(name, among); near != "" {
		return near
	}
	return among[0]
}

package manifest

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// run reads the run block; a manifest without one is not an error here.
func (b *block) run() Run {
	out := Run{Protocol: Plain, MaxLog: DefaultMaxLog}
	in := b.sub("run")
	if in == nil {
		return out
	}
	out.Command, out.Script = in.words("command"), in.text("script")
	out.Protocol = Protocol(in.choice("protocol", protocolNames()...))
	if d := in.span("timeout"); d != nil {
		out.Timeout = *d
	}
	out.Stall = in.span("stall")
	out.Resume = in.flag("resume", false)
	out.Env, out.PassEnv = in.env(), in.passEnv()
	out.MaxLog = in.size("max_log", DefaultMaxLog)
	out.Install = in.line("install")
	in.done()
	in.checkProgram()
	return out
}

func protocolNames() []string {
	var names []string
	for _, p := range Protocols() {
		names = append(names, string(p))
	}
	return names
}

// checkProgram wants exactly one of command and script.
func (b *block) checkProgram() {
	command, script := b.take("command"), b.take("script")
	switch {
	case command != nil && script != nil:
		b.problem(later(command, script), b.path, "has both command and script, keep one")
	case command != nil && command.Kind == yaml.SequenceNode && len(command.Content) == 0:
		b.problem(command, "run.command", `is an empty list, want the program and its arguments like ["./run.sh"]`)
	case script != nil && script.Kind == yaml.ScalarNode && strings.TrimSpace(script.Value) == "":
		b.problem(script, "run.script", "is empty, want text for sh")
	case command == nil && script == nil && len(b.order) > 0:
		b.problem(b.node, b.path, `has neither command nor script, add command: ["./run.sh"]`)
	}
}

func later(a, b *yaml.Node) *yaml.Node {
	if b.Line > a.Line {
		return b
	}
	return a
}

func (b *block) env() map[string]string {
	in := b.sub("env")
	for _, key := range in.keys() {
		in.checkEnvName(key, key.Value)
	}
	return in.texts()
}

func (b *block) passEnv() []string {
	names := b.words("pass_env")
	for i, name := range names {
		b.checkEnvName(b.values["pass_env"].Content[i], name)
	}
	return names
}

// checkEnvName refuses names that no environment can hold or that are iterion's
// own.
func (b *block) checkEnvName(n *yaml.Node, name string) {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00"):
		b.problem(n, b.path, "%q cannot name an environment variable", clip(name))
	case strings.HasPrefix(name, "ITERION_"):
		b.problem(n, b.path, "%s is set by iterion itself, choose a name without ITERION_", clip(name))
	}
}

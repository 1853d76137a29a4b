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
	in.checkLength(out)
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

// maxArg is the longest word that a program can be started with; Linux refuses
// 128 KiB, the end of the word counted in.
const maxArg = 128<<10 - 1

func (b *block) checkLength(r Run) {
	if len(r.Script) > maxArg {
		b.problem(b.take("script"), b.at("script"), "is longer than %d bytes, which no system can start: put it into a file of the bundle", maxArg)
	}
	for i, word := range r.Command {
		if len(word) > maxArg {
			b.problem(b.take("command").Content[i], b.at("command"), "has a word of more than %d bytes, which no system can start", maxArg)
		}
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
		in.checkEnvName(key, in.path, key.Value)
	}
	return in.texts()
}

func (b *block) passEnv() []string {
	names := b.words("pass_env")
	for i, name := range names {
		if item := follow(b.values["pass_env"].Content[i]); item.Kind == yaml.ScalarNode && item.Value != "" {
			b.checkEnvName(item, b.at("pass_env"), name)
		}
	}
	return names
}

// checkEnvName refuses names that no environment can hold, patterns that would
// match nothing, and names that are iterion's own.
func (b *block) checkEnvName(n *yaml.Node, key, name string) {
	switch {
	case !validEnv(name):
		b.problem(n, key, "%q cannot name an environment variable, want letters, digits and _, without $ or *", clip(name))
	case strings.HasPrefix(name, "ITERION_"):
		b.problem(n, key, "%s is set by iterion itself, choose a name without ITERION_", clip(name))
	}
}

func validEnv(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		tail := r >= '0' && r <= '9' || r == '-' || r == '.'
		if !letter && (i == 0 || !tail) {
			return false
		}
	}
	return s != ""
}

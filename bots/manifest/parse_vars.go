package manifest

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// vars reads the vars block in file order.
func (b *block) vars() []Var {
	in := b.sub("vars")
	if in == nil {
		return nil
	}
	out := make([]Var, 0, len(in.order))
	taken := map[string]string{} // environment name to var
	for _, key := range in.order {
		v := in.variable(key)
		if first, twice := taken[EnvName(v.Name)]; twice {
			b.problem(key, in.at(v.Name), "is %s in the environment, as is %s: rename one", EnvName(v.Name), first)
		}
		taken[EnvName(v.Name)] = v.Name
		out = append(out, v)
	}
	return out
}

func (b *block) variable(key *yaml.Node) Var {
	v, path := Var{Name: key.Value}, b.at(key.Value)
	if !validVar(v.Name) {
		b.problem(key, path, "%q is no var name, want a letter, then letters, digits, - and _", clip(v.Name))
	}
	n := b.values[key.Value]
	if n.Tag == "!!null" {
		return v
	}
	in := b.block(n, path)
	v.Required = in.flag("required", false)
	if d := in.take("default"); d != nil {
		text := b.scalar(d, in.at("default"))
		v.Default = &text
	}
	v.Enum, v.Description = in.list("enum"), in.text("description")
	if v.Default != nil && len(v.Enum) > 0 && !slices.Contains(v.Enum, *v.Default) {
		b.problem(in.take("default"), in.at("default"), "%q is not in enum: %s", clip(*v.Default), strings.Join(v.Enum, ", "))
	}
	in.spare()
	return v
}

func validVar(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		tail := r >= '0' && r <= '9' || r == '-'
		if !letter && (i == 0 || !tail) {
			return false
		}
	}
	return s != ""
}

// EnvName is the environment variable that carries a var to its bot: upper case,
// every other character an underscore.
func EnvName(name string) string {
	upper := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}
	return "ITERION_VAR_" + strings.Map(upper, name)
}

// dispatchVars reads the templates that fill vars from a card. known are the
// declared vars; a bot that declares none may be given any.
func (b *block) dispatchVars(known []string) map[string]string {
	in := b.sub("dispatch_vars")
	out := in.texts()
	for _, key := range in.keys() {
		b.checkVarName(key, in.at(key.Value), key.Value, known)
		if err := CheckTemplate(out[key.Value]); err != nil {
			b.problem(in.values[key.Value], in.at(key.Value), "%v", err)
		}
	}
	return out
}

func (b *block) checkVarName(n *yaml.Node, key, name string, known []string) {
	if len(known) == 0 || slices.Contains(known, name) {
		return
	}
	if near := Nearest(name, known); near != "" {
		b.problem(n, key, "no var %q, did you mean %s?", clip(name), near)
		return
	}
	b.problem(n, key, "no var %q, the bot declares %s", clip(name), strings.Join(known, ", "))
}

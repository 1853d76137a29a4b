package daemon

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"iterion/bots/manifest"
	"iterion/daemon/workspace"
)

// ConfigError is everything that is wrong with one config file, one problem a
// line, each with file and line number.
type ConfigError struct{ Problems []string }

func (e *ConfigError) Error() string { return strings.Join(e.Problems, "\n") }

// configParser fills a Config from a YAML tree and collects all problems.
type configParser struct {
	file     string
	problems []string
}

// setters say what each key of a mapping does with its value.
type setters map[string]func(n *yaml.Node, key string)

func parseConfig(file string, data []byte, c *Config) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return &ConfigError{[]string{fmt.Sprintf("%s: %s", file, strings.TrimPrefix(err.Error(), "yaml: "))}}
	}
	if len(doc.Content) == 0 {
		return nil // an empty file sets nothing
	}
	p := &configParser{file: file}
	p.mapping(p.top(c))(doc.Content[0], "")
	if p.problems != nil {
		return &ConfigError{p.problems}
	}
	return nil
}

func (p *configParser) top(c *Config) setters {
	return setters{
		"name":              p.text(&c.Name),
		"bot":               p.text(&c.Bot),
		"assignee_bots":     p.texts(&c.AssigneeBots, nil),
		"dispatch":          p.dispatch(&c.Dispatch),
		"assignee_dispatch": p.byBot(&c.AssigneeDispatch),
		"hooks": p.mapping(setters{
			"after_create": p.hook(&c.Hooks.AfterCreate), "before_run": p.hook(&c.Hooks.BeforeRun),
			"after_run": p.hook(&c.Hooks.AfterRun), "before_remove": p.hook(&c.Hooks.BeforeRemove),
		}),
		"ticket_router": p.mapping(setters{
			"enabled": p.yes(&c.TicketRouter.Enabled), "implement_bot": p.text(&c.TicketRouter.ImplementBot),
		}),
		"tracker": p.mapping(setters{"kind": p.choice(&c.Tracker.Kind, "native")}),
		"polling": p.mapping(setters{"interval_ms": p.number(&c.Polling.IntervalMS, 100)}),
		"agent":   p.agent(&c.Agent),
		"stall":   p.mapping(setters{"timeout_ms": p.number(&c.Stall.TimeoutMS, 0)}),
		"limits": p.mapping(setters{
			"max_cost_per_day_usd": p.money(&c.Limits.MaxCostPerDayUSD), "max_chain_depth": p.number(&c.Limits.MaxChainDepth, 1),
		}),
		"workspace": p.mapping(setters{
			"root":    p.text(&c.Workspace.Root),
			"persist": p.choice(&c.Workspace.Persist, workspace.Policies()...),
		}),
		"bots":     p.mapping(setters{"paths": p.list(&c.Bots.Paths)}),
		"watchdog": p.mapping(setters{"enabled": p.yes(&c.Watchdog.Enabled)}),
		"server":   p.mapping(setters{"listen": p.address(&c.Server.Listen)}),
	}
}

func (p *configParser) dispatch(d *DispatchConfig) func(*yaml.Node, string) {
	return p.mapping(setters{"vars": p.texts(&d.Vars, manifest.CheckTemplate)})
}

func (p *configParser) byBot(into *map[string]DispatchConfig) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		out := map[string]DispatchConfig{}
		p.each(n, key, func(name, value *yaml.Node, at string) {
			var d DispatchConfig
			p.dispatch(&d)(value, at)
			out[name.Value] = d
		})
		*into = out
	}
}

// hookTimeout is how long a hook may take that does not say.
const hookTimeout = 60_000

func (p *configParser) hook(into **HookConfig) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		h := &HookConfig{TimeoutMS: hookTimeout}
		p.mapping(setters{
			"script": p.text(&h.Script), "path": p.text(&h.Path), "timeout_ms": p.number(&h.TimeoutMS, 1),
		})(n, key)
		if (h.Script == "") == (h.Path == "") {
			p.problem(n, key, "want either script: (a text for sh) or path: (a program)")
		}
		*into = h
	}
}

func (p *configParser) yes(into *bool) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		v, err := strconv.ParseBool(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil {
			p.problem(n, key, "%q is neither true nor false", n.Value)
			return
		}
		*into = v
	}
}

func (p *configParser) agent(a *AgentConfig) func(*yaml.Node, string) {
	return p.mapping(setters{
		"max_concurrent":          p.number(&a.MaxConcurrent, 1),
		"max_concurrent_by_state": p.numbers(&a.MaxConcurrentByState, 1),
		"max_attempts":            p.number(&a.MaxAttempts, 1),
		"max_retry_backoff_ms":    p.number(&a.MaxRetryBackoffMS, 1),
		"running_state":           p.text(&a.RunningState),
		"completed_state":         p.text(&a.CompletedState),
		"failed_state":            p.text(&a.FailedState),
	})
}

func (p *configParser) problem(n *yaml.Node, key, format string, args ...any) {
	where := fmt.Sprintf("%s:%d: ", p.file, max(n.Line, 1))
	if key != "" {
		where += key + ": "
	}
	p.problems = append(p.problems, where+fmt.Sprintf(format, args...))
}

// mapping takes a block of known keys.
func (p *configParser) mapping(known setters) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		p.each(n, key, func(name, value *yaml.Node, at string) {
			if set, ok := known[name.Value]; ok {
				set(value, at)
				return
			}
			p.stranger(name, at, slices.Sorted(maps.Keys(known)))
		})
	}
}

func (p *configParser) stranger(name *yaml.Node, at string, known []string) {
	if near := manifest.Nearest(name.Value, known); near != "" {
		p.problem(name, at, "unknown key, did you mean %s?", near)
		return
	}
	p.problem(name, at, "unknown key, want one of %s", strings.Join(known, ", "))
}

// each calls f for the pairs of a mapping. An empty block has none.
func (p *configParser) each(n *yaml.Node, key string, f func(name, value *yaml.Node, at string)) {
	n = target(n)
	if n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		p.problem(n, key, "want a block of keys, like {%s}", "key: value")
		return
	}
	seen := map[string]bool{}
	for pair := range slices.Chunk(n.Content, 2) {
		at := strings.TrimPrefix(key+"."+pair[0].Value, ".")
		if seen[pair[0].Value] {
			p.problem(pair[0], at, "is given twice")
			continue
		}
		seen[pair[0].Value] = true
		f(pair[0], target(pair[1]), at)
	}
}

// target follows an alias to what it stands for.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func (p *configParser) text(into *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		if n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" || n.Tag == "!!null" {
			p.problem(n, key, "want a text that is not empty")
			return
		}
		*into = n.Value
	}
}

// texts takes a block of names and texts, which replaces the default whole.
func (p *configParser) texts(into *map[string]string, check func(string) error) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		out := map[string]string{}
		p.each(n, key, func(name, value *yaml.Node, at string) {
			if value.Kind != yaml.ScalarNode {
				p.problem(value, at, "want a text")
				return
			}
			if check != nil {
				if err := check(value.Value); err != nil {
					p.problem(value, at, "%v", err)
				}
			}
			out[name.Value] = value.Value
		})
		*into = out
	}
}

func (p *configParser) choice(into *string, words ...string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		if n.Kind != yaml.ScalarNode || !slices.Contains(words, n.Value) {
			p.problem(n, key, "%q is not one of %s", n.Value, strings.Join(words, ", "))
			return
		}
		*into = n.Value
	}
}

// number takes a whole number of at least least.
func (p *configParser) number(into *int, least int) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < least || v > 1<<31-1 {
			p.problem(n, key, "%q is not a whole number of at least %d", n.Value, least)
			return
		}
		*into = v
	}
}

// address takes a TCP address to listen on, or nothing.
func (p *configParser) address(into *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		addr, err := ListenAddr(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil {
			p.problem(n, key, "%q is not an address like 9090, 127.0.0.1:9090 or 0.0.0.0:9090", n.Value)
			return
		}
		*into = addr
	}
}

// money takes an amount of US dollars, 0 or more.
func (p *configParser) money(into *float64) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		v, err := strconv.ParseFloat(n.Value, 64)
		if n.Kind != yaml.ScalarNode || err != nil || !(v >= 0 && v <= 1e9) {
			p.problem(n, key, "%q is not an amount in US dollars, 0 or more", n.Value)
			return
		}
		*into = v
	}
}

func (p *configParser) numbers(into *map[string]int, least int) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		out := map[string]int{}
		p.each(n, key, func(name, value *yaml.Node, at string) {
			var v int
			p.number(&v, least)(value, at)
			out[name.Value] = v
		})
		*into = out
	}
}

func (p *configParser) list(into *[]string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		if n.Kind != yaml.SequenceNode {
			p.problem(n, key, "want a list, like [bots, examples]")
			return
		}
		out := make([]string, 0, len(n.Content))
		for i, item := range n.Content {
			var s string
			p.text(&s)(target(item), fmt.Sprintf("%s[%d]", key, i))
			out = append(out, s)
		}
		*into = out
	}
}

package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// typedVars joins what the command line says: the file, then each --var.
func (f *Factory) typedVars(o runOptions) (map[string]string, error) {
	vars := map[string]string{}
	if o.varsFile != "" {
		var err error
		if vars, err = f.varsFile(o.varsFile); err != nil {
			return nil, err
		}
	}
	for _, pair := range o.vars {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, Usagef("--var %q: want name=value", pair)
		}
		vars[name] = value
	}
	for name, value := range vars {
		if strings.Contains(value, "\x00") {
			return nil, Usagef("var %s holds a zero byte, which no environment can carry", name)
		}
	}
	return vars, nil
}

func (f *Factory) varsFile(path string) (map[string]string, error) {
	data, err := f.readInput(path)
	if err != nil {
		return nil, Usagef("--vars-file: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	var values map[string]json.RawMessage
	if err := dec.Decode(&values); err != nil {
		return nil, Usagef("--vars-file %s: want a JSON object like {\"prompt\": \"text\"}: %w", path, err)
	}
	if _, err := dec.Token(); err != io.EOF || values == nil {
		return nil, Usagef("--vars-file %s: want one JSON object and nothing else", path)
	}
	vars := make(map[string]string, len(values))
	for name, raw := range values {
		vars[name] = textOf(raw)
	}
	return vars, nil
}

// textOf is the text of a JSON string, and any other value as it is written.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && raw[0] == '"' {
		return s
	}
	return string(raw)
}

// completeVars offers the vars of the bot that is already typed.
func (f *Factory) completeVars(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	reg, err := f.Bots()
	if err != nil || len(args) == 0 {
		return nil, noFiles
	}
	b, err := reg.Resolve(args[0])
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, v := range b.Manifest.Vars {
		out = append(out, cobra.CompletionWithDesc(v.Name+"=", visibleLine(v.Description)))
	}
	return out, noFiles | cobra.ShellCompDirectiveNoSpace
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

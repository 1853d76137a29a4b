package stream

import (
	"encoding/json"
	"strings"
)

// telling names the arguments that say what a tool is used for, the best first.
var telling = []string{
	"command", "cmd", "file_path", "filePath", "absolute_path", "dir_path", "path", "pattern", "query", "url", "description",
	"skill", "prompt", "name", "title",
}

// Call is the use of a tool as one line: "Bash: go test ./...".
func Call(tool string, args json.RawMessage) string {
	tool = Line(tool)
	if tool == "" {
		tool = "tool"
	}
	if about := about(args); about != "" {
		return Line(tool + ": " + about)
	}
	return tool
}

// about picks the argument that tells most, or shows all of them.
func about(args json.RawMessage) string {
	var named map[string]any
	if json.Unmarshal(args, &named) != nil {
		return plainText(args)
	}
	for _, name := range telling {
		if s := flat(named[name]); s != "" {
			return Line(s)
		}
	}
	if len(named) == 0 {
		return ""
	}
	return Line(string(args))
}

// flat returns a text, or the words of a list of texts.
func flat(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var words []string
		for _, w := range v {
			s, ok := w.(string)
			if !ok {
				return ""
			}
			words = append(words, s)
		}
		return strings.Join(words, " ")
	}
	return ""
}

// plainText shows arguments that have no names.
func plainText(args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) != nil || v == nil {
		return ""
	}
	if s := flat(v); s != "" {
		return Line(s)
	}
	return Line(string(args))
}

package trigger

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// Vars returns the vars of the launch that an event owes a subscription. From low to
// high: the event's payload.vars, the subscription's vars, and its args_var, which
// takes the subject's title and text or, where there is neither, payload.args.
func Vars(e Event, s Subscription) map[string]string {
	out := map[string]string{}
	if given, ok := e.Payload["vars"].(map[string]any); ok {
		for k, v := range given {
			out[k] = asText(v)
		}
	}
	maps.Copy(out, s.Vars)
	if args := e.Args(); s.ArgsVar != "" && args != "" {
		out[s.ArgsVar] = args
	}
	return out
}

// Args returns what an event says in words.
func (e Event) Args() string {
	parts := make([]string, 0, 2)
	for _, p := range []string{e.Subject.Title, e.Subject.Body} {
		if strings.TrimSpace(p) != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, "\n\n")
	}
	if list, ok := e.Payload["args"].([]any); ok {
		words := make([]string, len(list))
		for i, v := range list {
			words[i] = asText(v)
		}
		return strings.Join(words, " ")
	}
	return asText(e.Payload["args"])
}

// asText writes a value of a payload as a bot's var.
func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool, json.Number:
		return fmt.Sprint(v)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

package board

import (
	"fmt"
	"slices"
	"strings"
)

// valid replaces what is not UTF-8, which JSON cannot hold.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func cleanTitle(s string) (string, error) {
	s = strings.TrimSpace(valid(s))
	if s == "" {
		return "", fmt.Errorf("%w: the title is blank", ErrInvalid)
	}
	if strings.ContainsAny(s, "\n\r") {
		return "", fmt.Errorf("%w: the title has more than one line", ErrInvalid)
	}
	return s, nil
}

// cleanLabels trims labels and drops repeats, keeping their order.
func cleanLabels(in []string) ([]string, error) {
	var out []string
	for _, l := range in {
		l = strings.TrimSpace(valid(l))
		if l == "" {
			return nil, fmt.Errorf("%w: a label is blank", ErrInvalid)
		}
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out, nil
}

// CheckBot refuses, as ErrInvalid, what cannot be the slug of a bot. It does not
// say whether there is such a bot.
func CheckBot(slug string) error {
	for i, c := range []byte(slug) {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !('0' <= c && c <= '9' || c == '_' || c == '-')) {
			return fmt.Errorf("%w: bot %q: a bot's slug is lower-case letters, digits, - and _, and begins with a letter", ErrInvalid, slug)
		}
	}
	if slug == "" {
		return fmt.Errorf("%w: the bot's slug is empty", ErrInvalid)
	}
	return nil
}

// cleanArgs checks the arguments of a bot.
func cleanArgs(in map[string]string) (map[string]string, error) {
	if len(in) == 0 {
		return nil, nil
	}
	out := make(map[string]string, len(in))
	for k, v := range in {
		if k = strings.TrimSpace(valid(k)); k == "" {
			return nil, fmt.Errorf("%w: a bot argument has a blank name", ErrInvalid)
		}
		out[k] = valid(v)
	}
	return out, nil
}

// truthy reads a switch among a bot's arguments.
func truthy(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "t", "true", "y", "yes", "on":
		return true
	}
	return false
}

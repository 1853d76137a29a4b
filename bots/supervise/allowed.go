package supervise

import "strings"

// AllowedEnv returns the variables of environ that reach every bot, for other
// commands that are run beside one.
func AllowedEnv(environ []string) []string {
	var kept []string
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); allowed(name) {
			kept = append(kept, kv)
		}
	}
	return kept
}

// Package catalog holds the bots that come with the binary. A folder of the
// user's own with the same name goes before them.
package catalog

import (
	"embed"
	"io/fs"
)

//go:embed hello shell claude codex gemini opencode
var bundles embed.FS

// FS returns the bundles, one folder each. Embedding drops file modes: a file
// that begins with #! is meant to be executable.
func FS() fs.FS { return bundles }

// Package claude reads the stream of Claude Code, written against claude 2.1.332 and its output format stream-json.
package claude

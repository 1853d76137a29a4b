// Package codex reads the stream of Codex, written against codex 0.171.0 and the JSON lines of codex exec --json.
package codex

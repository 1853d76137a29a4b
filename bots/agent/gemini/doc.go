// Package gemini reads the stream of Gemini CLI, written against gemini 0.61.0 and its output format stream-json.
package gemini

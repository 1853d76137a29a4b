// Package opencode reads the stream of opencode, written against opencode 1.18.33 and the format json of opencode run.
package opencode

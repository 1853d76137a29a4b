// Package jsonl keeps append-only logs of one JSON object a line.
//
// The caller holds the log's lock while it appends; readers need none. A record
// is one write(2) of a full line, newline included, so a reader that stops at
// the last newline never sees half a record.
//
// # The torn tail
//
// A process that dies inside its write, or a power cut, can leave a last line
// without newline. Whoever appends next closes it off with a newline first, in
// the same write, so that it can never swallow the new record, and is told so
// once (Appended.Torn). If the torn line happens to be a whole object it was
// only the newline that got lost, and it is a record like any other from then
// on; else readers skip it. Readers take an unterminated line for one that is
// not written yet.
//
// # Places
//
// Records that carry "seq" are addressed by it. Byte offsets move when old
// lines are archived, so an offset is only a hint: SeekAfter checks it against
// the line it points behind and falls back to bisection.
package jsonl

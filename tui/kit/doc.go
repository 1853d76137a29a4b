// Package kit is what the screens are made of: text made safe and measured,
// style tokens, marks, spans of time, pagers and dialogs. Of cards and runs it
// knows how their ids are written, and nothing more.
package kit

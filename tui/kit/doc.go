// Package kit is what the screens are made of: text made safe and measured,
// style tokens, marks, spans of time, pagers and dialogs. It knows nothing of
// boards and runs.
package kit

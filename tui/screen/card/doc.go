// Package card is the screen of one card: its fields, its body, why it is or is
// not dispatched, its blockers both ways, its runs and its comments.
//
// The body is rendered by a command, off the drawing path; while a new rendering
// is on its way the old one stays. On a wide window what surrounds the body has a
// pane of its own.
package card

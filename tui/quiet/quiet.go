// Package quiet keeps the terminal silent until the program wants to draw.
//
// Bubble Tea v1 asks the terminal for its background colour in a package init:
// each command that only links the TUI would write an escape sequence to the
// user's terminal and wait for the answer, for up to five seconds where none
// comes, swallowing what was typed meanwhile. Lip Gloss asks only while nobody
// has told it the answer, so this package tells it before Bubble Tea's init runs;
// the TUI finds out the truth by itself when it starts.
//
// Go initializes packages whose imports are ready in the order of their import
// paths. That is why this is a module of its own: its path must sort before
// github.com/charmbracelet/bubbletea.
package quiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }

// Package markdown draws Markdown as lines for a terminal. The text is of
// unknown origin: every piece of it is cleaned, links are spelled out, and
// nothing of it reaches the terminal as an escape sequence.
package markdown

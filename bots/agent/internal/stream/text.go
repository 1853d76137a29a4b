package stream

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/pattern"
)

// Bounds of one-line texts, in characters.
const (
	maxLine     = 160 // a tool call, a progress
	maxSentence = 400 // a reason
)

// escape matches what colours text, moves the cursor or talks to the terminal.
var escape = pattern.New(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))`)

func unescape(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 { // as good as always
		return s
	}
	return escape.ReplaceAllString(s, "")
}

// Line returns s as one short line without control characters.
func Line(s string) string { return oneLine(s, maxLine) }

// Sentence is Line for reasons, which may be longer.
func Sentence(s string) string { return oneLine(s, maxSentence) }

func oneLine(s string, limit int) string {
	if len(s) > 8*limit { // what is shown lies well before
		s = strings.ToValidUTF8(s[:8*limit], "") + "…"
	}
	s = strings.Join(strings.Fields(strings.Map(visible, unescape(s))), " ")
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:limit-1])) + "…"
}

// Text returns s with its lines kept and without control characters or white space
// at its end.
func Text(s string) string { return strings.TrimRightFunc(Clean(s), unicode.IsSpace) }

// Clean returns s without control characters but newlines and tabs.
func Clean(s string) string {
	s = strings.ReplaceAll(unescape(s), "\r\n", "\n")
	return strings.Map(printable, s)
}

// FirstLine returns the first line of s that says something, as Line does.
func FirstLine(s string) string {
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		if line = Line(line); line != "" {
			return line
		}
		s = rest
	}
	return ""
}

// Warning shows what the agent or its program warns of and goes on.
func Warning(text string) agent.Said {
	text = Sentence(text)
	if text == "" {
		return agent.Said{}
	}
	return agent.Said{Log: "! " + text, Progress: Line(text)}
}

// Indent puts two blanks before each line of s that is not empty.
func Indent(s string) string {
	if s == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.ReplaceAll(s, "\n", "\n  "), "\n  \n", "\n\n")
}

// Join joins the texts that are not empty by newlines.
func Join(texts ...string) string {
	var said []string
	for _, s := range texts {
		if s != "" {
			said = append(said, s)
		}
	}
	return strings.Join(said, "\n")
}

func visible(r rune) rune {
	if unicode.IsSpace(r) {
		return ' '
	}
	return printable(r)
}

// printable drops what changes how the text around it is shown.
func printable(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return -1
	}
	return r
}

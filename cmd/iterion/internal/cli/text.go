package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visibleText makes the control bytes of s visible, so that text from a card or
// a log cannot drive the terminal. Newlines and tabs stay.
func visibleText(s string) string { return visible(s, true) }

// visibleLine does the same for a text that must stay on one line.
func visibleLine(s string) string { return visible(s, false) }

func visible(s string, lines bool) string {
	keep := func(r rune) bool { return lines && (r == '\n' || r == '\t') }
	if strings.IndexFunc(s, func(r rune) bool { return unsafe(r) && !keep(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case keep(r) || !unsafe(r):
			b.WriteRune(r)
		case r == utf8.RuneError:
			b.WriteString(invalidAt(s, i))
		case !lines && (r == '\n' || r == '\t'):
			b.WriteByte(' ')
		case r < 0x20:
			b.WriteString("^" + string('@'+r))
		case r == 0x7f:
			b.WriteString("^?")
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// unsafe tells the runes that a terminal acts on, or that reorder the text
// around them.
func unsafe(r rune) bool {
	switch {
	case r == utf8.RuneError, unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return false
}

// invalidAt shows a byte that is no UTF-8; a real U+FFFD stays what it is.
func invalidAt(s string, i int) string {
	if _, n := utf8.DecodeRuneInString(s[i:]); n > 1 {
		return string(utf8.RuneError)
	}
	return fmt.Sprintf(`\x%02x`, s[i])
}

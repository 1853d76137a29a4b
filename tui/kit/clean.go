package kit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tabStop is the distance of tab stops in cleaned text.
const tabStop = 4

// Clean makes a text of unknown origin safe to draw on one line: nothing in the
// result moves the cursor, changes colours or talks to the terminal, and every
// terminal agrees on how wide it is.
//
//   - Control bytes, escape among them, become their pictures (␛), bytes that are
//     no UTF-8 become \xNN, format characters that reorder or hide text become
//     <U+202E>. They are shown so that nobody is fooled by what is not there.
//   - Line breaks become ⏎, tabs become spaces.
//   - The joiners and variation selectors of emoji are dropped: terminals
//     disagree about the width of what they join, never about the parts.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	column := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[i])
			column += 4
		} else {
			column = cleanRune(&b, r, column)
		}
		i += size
	}
	return b.String()
}

// Lines splits a text of unknown origin at its line breaks and cleans each line.
func Lines(s string) []string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Clean(strings.TrimSuffix(l, "\r"))
	}
	return lines
}

// plain reports whether s is printable ASCII, which is already clean.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// cleanRune writes what stands for r at column and returns the next column,
// which only has to be right for the sake of tab stops.
func cleanRune(b *strings.Builder, r rune, column int) int {
	switch {
	case r == '\t':
		n := tabStop - column%tabStop
		b.WriteString(strings.Repeat(" ", n))
		return column + n
	case r == '\n':
		b.WriteRune('⏎')
	case r < 0x20:
		b.WriteRune(0x2400 + r)
	case r == 0x7f:
		b.WriteRune('␡')
	case joins(r):
		return column
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r),
		unicode.Is(unicode.Zp, r), unicode.Is(unicode.Co, r), r == '\u034f', r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0':
		n, _ := fmt.Fprintf(b, "<U+%04X>", r)
		return column + n
	default:
		b.WriteRune(r)
	}
	return column + 1
}

// joins reports whether r only changes how its neighbours are drawn, in a way
// that terminals disagree about.
func joins(r rune) bool {
	return r == '\u200d' || r >= '\ufe00' && r <= '\ufe0f' || r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0100 && r <= 0xe01ef
}

// Typed makes a line that a text field has drawn safe: what reorders, joins or hides its
// neighbours is left out, which costs no cell. The field keeps it all; and what is no
// style cannot be in it, for text fields take no control characters.
func Typed(s string) string {
	return strings.Map(func(r rune) rune {
		if joins(r) || r >= 0x80 && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)) {
			return -1
		}
		return r
	}, s)
}

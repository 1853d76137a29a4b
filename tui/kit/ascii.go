package kit

import "strings"

// ASCII replaces what the program itself draws beyond ASCII, each cell by a cell:
// ellipses, and the pictures of control characters. Text of other scripts is left as it
// is; how a terminal shows what it cannot is its own affair.
func ASCII(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
			return r
		case r == '…':
			return '~'
		case r == '⏎':
			return '/'
		case r >= 0x2400 && r <= 0x2421:
			return '^'
		case r == '↑':
			return '^'
		case r == '↓':
			return 'v'
		case r == '·':
			return '-'
		case r == '←':
			return '<'
		case r == '→':
			return '>'
		}
		return r
	}, s)
}

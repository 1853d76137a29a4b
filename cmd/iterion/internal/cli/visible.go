package cli

import (
	"io"
	"unicode/utf8"
)

// visibleWriter makes what a bot printed safe for a terminal: escape sequences
// and other control bytes are shown, never executed. A character that is cut by
// the end of a write waits for its rest.
type visibleWriter struct {
	w    io.Writer
	held []byte
}

func (v *visibleWriter) Write(p []byte) (int, error) {
	text := append(v.held, p...)
	whole := len(text) - unfinishedRune(text)
	v.held = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(v.w, visibleText(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes what waits for a rest that will not come.
func (v *visibleWriter) flush() {
	_, _ = io.WriteString(v.w, visibleText(string(v.held)))
	v.held = nil
}

// unfinishedRune is how many bytes at the end begin a character and do not end it.
func unfinishedRune(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

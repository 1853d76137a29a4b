package kit

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of cells that s takes. Styles count for nothing.
func Width(s string) int { return ansi.StringWidth(s) }

// Clip shortens s to at most w cells, with an ellipsis where something is lost.
func Clip(s string, w int) string {
	switch {
	case w <= 0:
		return ""
	case Width(s) <= w:
		return s
	case w == 1:
		return "…"
	}
	return ansi.Truncate(s, w, "…")
}

// Fit clips or pads s to exactly w cells.
func Fit(s string, w int) string {
	s = Clip(s, w)
	if n := w - Width(s); n > 0 {
		s += strings.Repeat(" ", n)
	}
	return s
}

// Spread puts left and right at the two ends of exactly w cells. The right part
// goes first when both do not fit.
func Spread(left, right string, w int) string {
	gap := w - Width(left) - Width(right)
	if gap < 1 {
		return Fit(left, w)
	}
	return left + strings.Repeat(" ", gap) + right
}

// Box makes exactly h lines of exactly w cells out of lines.
func Box(lines []string, w, h int) []string {
	if h < 0 {
		h = 0
	}
	out := make([]string, h)
	for i := range out {
		if i < len(lines) {
			out[i] = Fit(lines[i], w)
		} else {
			out[i] = Fit("", w)
		}
	}
	return out
}

// Wrap breaks clean text into lines of at most w cells, at spaces where it can.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	if Width(s) <= w {
		return []string{s}
	}
	lines := strings.Split(ansi.Wrap(s, w, ""), "\n")
	for i, l := range lines {
		lines[i] = Clip(l, w)
	}
	return lines
}

// Overlay draws box over base, centred, and returns the result. base is not
// changed. A box larger than base is cut.
func Overlay(base, box []string, w int) []string {
	out := append([]string(nil), base...)
	if len(box) > len(out) {
		box = box[:len(out)]
	}
	bw := 0
	for _, l := range box {
		bw = max(bw, min(Width(l), w))
	}
	top, left := (len(out)-len(box))/3, (w-bw)/2
	for i, l := range box {
		under := out[top+i]
		right := ansi.TruncateLeft(under, left+bw, "")
		if Width(right) > w-left-bw { // a wide character was cut in two
			right = " " + ansi.TruncateLeft(under, left+bw+1, "")
		}
		out[top+i] = Fit(ansi.Truncate(under, left, ""), left) + "\x1b[0m" + Fit(l, bw) + "\x1b[0m" + right
	}
	return out
}

// Chop cuts clean text without styles into pieces of at most w cells. A
// character wider than w has a piece of its own, clipped.
func Chop(s string, w int) []string {
	var out []string
	for s != "" {
		head := ansi.Truncate(Head(s, 64+8*w), w, "") // measuring all of s each time would be quadratic
		if head == "" {
			_, size := utf8.DecodeRuneInString(s)
			out, s = append(out, Clip(s[:size], w)), s[size:]
			continue
		}
		out, s = append(out, head), s[len(head):]
	}
	return out
}

// Head returns at most n bytes of s, cut between characters.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// lineMax is how much of a text can matter in one line of any window.
const lineMax = 2048

// Line is Clean for a text of which only one line is drawn: what no window
// could show is not looked at.
func Line(s string) string { return Clean(Head(s, lineMax)) }

func splitLines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }

package cli

import (
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// maxOpen is how much of a line is waited for, in bytes, before what there is of
// it is written.
const maxOpen = 8 << 10

// scroll is a log on a terminal, above a footer. Lines are written as a whole; the
// one that has no end yet is shown by its last cells, as a row of the footer.
type scroll struct {
	out    io.Writer
	footer *footer
	open   string // what came of the last line
	mid    bool   // a part of the last line is written: there is no place for a footer
}

// Write takes text that is safe to show.
func (s *scroll) Write(p []byte) (int, error) {
	text := s.open + string(p)
	end := strings.LastIndexByte(text, '\n') + 1
	if s.mid && end == 0 || len(text)-end > maxOpen {
		end = len(text)
	}
	s.open = text[end:]
	if end == 0 {
		return len(p), nil
	}
	s.footer.clear()
	s.mid = text[end-1] != '\n'
	if _, err := io.WriteString(s.out, text[:end]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// draw shows a status below the log.
func (s *scroll) draw(status string) {
	switch {
	case s.mid:
	case s.open != "":
		s.footer.draw(lastCells(visibleLine(s.open), s.footer.width()-echoed), status)
	default:
		s.footer.draw(status)
	}
}

// end takes the footer away, writes what came of the last line, and leaves the
// cursor at the beginning of one.
func (s *scroll) end() {
	s.footer.clear()
	_, _ = io.WriteString(s.out, s.open)
	if s.open != "" || s.mid {
		_, _ = io.WriteString(s.footer.w, "\n")
	}
	s.open, s.mid = "", false
}

// lastCells shortens s to its last width cells, with an ellipsis for the rest.
func lastCells(s string, width int) string {
	over := uniseg.StringWidth(s) - width
	if over <= 0 || width <= 0 {
		return s
	}
	g := uniseg.NewGraphemes(s)
	for gone := 0; gone < over+1 && g.Next(); { // one more for the ellipsis
		gone += g.Width()
	}
	_, at := g.Positions()
	return "…" + s[at:]
}

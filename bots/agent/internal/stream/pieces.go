package stream

import "strings"

// maxPiece is how much of a line that does not end is held back, in bytes.
const maxPiece = 4 << 10

// Pieces puts a text that comes in pieces together into whole lines.
type Pieces struct{ held string }

// Add takes a piece and returns the lines that it completes, without the last
// newline. A line that grows without end is returned in parts.
func (p *Pieces) Add(piece string) string {
	p.held += piece
	cut := strings.LastIndexByte(p.held, '\n')
	if cut < 0 && len(p.held) < maxPiece {
		return ""
	}
	if cut < 0 {
		return p.Rest()
	}
	whole := p.held[:cut]
	p.held = p.held[cut+1:]
	return whole
}

// Rest returns what is held back.
func (p *Pieces) Rest() string {
	rest := p.held
	p.held = ""
	return rest
}

// Line returns the line that is under way.
func (p *Pieces) Line() string { return Line(p.held) }

package markdown

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"iterion/tui/kit"
)

// maxDepth bounds how deep quotes and lists are indented.
const maxDepth = 8

// Render lays src out in lines of at most w cells. Line breaks in paragraphs are
// kept, as people mean them in notes. It may take a while for a long text: call
// it off the drawing path.
func Render(src string, w int, t *kit.Theme) []string {
	p := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
	r := &renderer{src: []byte(strings.ReplaceAll(src, "\r\n", "\n")), theme: t}
	r.blocks(p.Parse(text.NewReader(r.src)), nest{width: max(1, w)})
	for len(r.lines) > 0 && r.lines[len(r.lines)-1] == "" {
		r.lines = r.lines[:len(r.lines)-1]
	}
	return r.lines
}

type renderer struct {
	src   []byte
	theme *kit.Theme
	lines []string
}

// nest is where a block stands: what its lines begin with, and the room left.
type nest struct {
	prefix string // of every line
	first  string // of the first line, instead, when not empty
	width  int    // of the whole line
	depth  int
	tight  bool // no blank line after paragraphs
}

// in returns the nest of a child whose lines begin with more.
func (n nest) in(first, rest string) nest {
	if n.depth >= maxDepth || kit.Width(n.prefix)+kit.Width(rest) > n.width/2 {
		return nest{prefix: n.prefix, first: n.first, width: n.width, depth: n.depth, tight: n.tight}
	}
	lead := n.prefix
	if n.first != "" {
		lead = n.first
	}
	return nest{prefix: n.prefix + rest, first: lead + first, width: n.width, depth: n.depth + 1}
}

func (n *nest) take() string {
	if f := n.first; f != "" {
		n.first = ""
		return f
	}
	return n.prefix
}

func (n nest) room() int { return max(1, n.width-kit.Width(n.prefix)) }

func (r *renderer) blocks(parent ast.Node, n nest) {
	for c := parent.FirstChild(); c != nil; c = c.NextSibling() {
		r.block(c, n)
		n.first = ""
	}
}

func (r *renderer) block(b ast.Node, n nest) {
	t := r.theme
	switch b := b.(type) {
	case *ast.Heading:
		r.put(r.inline(b, t.Accent), n)
		r.gap(n)
	case *ast.Paragraph, *ast.TextBlock:
		r.put(r.inline(b, t.Plain), n)
		if _, ok := b.(*ast.Paragraph); ok {
			r.gap(n)
		}
	case *ast.List:
		r.list(b, n)
	case *ast.Blockquote:
		bar := t.Faint.Render(t.Glyph.VLine) + " "
		r.blocks(b, n.in(bar, bar))
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
		r.code(b, n)
		r.gap(n)
	case *ast.ThematicBreak:
		r.add(n.take() + t.Faint.Render(kit.Rule(t.Glyph.HLine, min(n.room(), 40))))
		r.gap(n)
	default:
		r.blocks(b, n)
	}
}

func (r *renderer) list(l *ast.List, n nest) {
	number := l.Start
	for it := l.FirstChild(); it != nil; it = it.NextSibling() {
		mark := r.theme.Glyph.Dot + " "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		in := n.in(r.theme.Dim.Render(mark), strings.Repeat(" ", kit.Width(mark)))
		in.tight = l.IsTight
		r.blocks(it, in)
		n.first = ""
	}
	r.gap(n)
}

func (r *renderer) code(b ast.Node, n nest) {
	in := n.in("  ", "  ")
	segments := b.Lines().Sliced(0, b.Lines().Len())
	if h, ok := b.(*ast.HTMLBlock); ok && h.HasClosure() {
		segments = append(segments[:len(segments):len(segments)], h.ClosureLine)
	}
	for _, seg := range segments {
		line := kit.Clean(strings.TrimRight(string(seg.Value(r.src)), "\r\n"))
		for _, part := range hard(line, in.room()) {
			r.add(in.take() + r.theme.Code.Render(part))
		}
	}
}

// gap ends a block with a blank line.
func (r *renderer) gap(n nest) {
	if len(r.lines) > 0 && r.lines[len(r.lines)-1] != "" && !n.tight {
		r.add("")
	}
}

func (r *renderer) add(line string) { r.lines = append(r.lines, line) }

// put wraps words into lines.
func (r *renderer) put(words []word, n nest) {
	var line strings.Builder
	used := 0
	flush := func() {
		r.add(n.take() + line.String())
		line.Reset()
		used = 0
	}
	for _, w := range words {
		if w.breaks {
			flush()
			continue
		}
		gap := 0
		if w.space && used > 0 {
			gap = 1
		}
		if used > 0 && used+gap+kit.Width(w.text) > n.room() {
			flush()
			gap = 0
		}
		for i, part := range hard(w.text, n.room()) {
			if i > 0 {
				flush()
			}
			line.WriteString(strings.Repeat(" ", gap) + w.style.Render(part))
			used, gap = used+gap+kit.Width(part), 0
		}
	}
	if used > 0 {
		flush()
	}
}

// word is a piece of a line that is not broken unless it must.
type word struct {
	text   string
	style  lipgloss.Style
	space  bool // before it
	breaks bool // a line break, no text
}

// inline flattens the inline nodes below b into words.
func (r *renderer) inline(b ast.Node, style lipgloss.Style) []word {
	f := &flattener{r: r}
	f.children(b, style)
	return f.words
}

type flattener struct {
	r     *renderer
	words []word
	space bool // before the next word
}

func (f *flattener) children(b ast.Node, style lipgloss.Style) {
	for c := b.FirstChild(); c != nil; c = c.NextSibling() {
		f.node(c, style)
	}
}

func (f *flattener) node(c ast.Node, style lipgloss.Style) {
	t := f.r.theme
	switch c := c.(type) {
	case *ast.Text:
		value := c.Segment.Value(f.r.src)
		if !c.IsRaw() {
			value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
		}
		f.text(string(value), style)
		if c.SoftLineBreak() || c.HardLineBreak() {
			f.words, f.space = append(f.words, word{breaks: true}), false
		}
	case *ast.String:
		f.text(string(c.Value), style)
	case *ast.CodeSpan:
		f.children(c, t.Code)
	case *ast.Emphasis:
		if c.Level >= 2 {
			f.children(c, style.Bold(true))
		} else {
			f.children(c, style.Italic(true))
		}
	case *ast.Link:
		f.children(c, style.Underline(true))
		f.text(" <"+string(c.Destination)+">", t.Faint)
	case *ast.Image:
		f.text("[image: ", t.Faint)
		f.children(c, style)
		f.text(" "+string(c.Destination)+"]", t.Faint)
	case *ast.AutoLink:
		f.text(string(c.URL(f.r.src)), style.Underline(true))
	case *ast.RawHTML:
		for i := range c.Segments.Len() {
			seg := c.Segments.At(i)
			f.text(string(seg.Value(f.r.src)), t.Faint)
		}
	default:
		f.children(c, style)
	}
}

// text adds the words of s, remembering where there was space.
func (f *flattener) text(s string, style lipgloss.Style) {
	s = kit.Clean(strings.ReplaceAll(s, "\n", " "))
	for i, piece := range strings.Split(s, " ") {
		if i > 0 {
			f.space = true
		}
		if piece != "" {
			f.words = append(f.words, word{text: piece, style: style, space: f.space})
			f.space = false
		}
	}
}

// hard cuts a clean text into pieces of at most w cells.
func hard(s string, w int) []string {
	if kit.Width(s) <= w {
		return []string{s}
	}
	return kit.Chop(s, w)
}

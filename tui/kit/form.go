package kit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textarea"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// FieldKind is how a field of a form is edited.
type FieldKind int

// The kinds of fields.
const (
	FieldLine   FieldKind = iota // one line of text
	FieldText                    // several lines
	FieldChoice                  // one of Items
)

// Field is one row of a form.
type Field struct {
	Name  string
	Kind  FieldKind
	Items []Item // FieldChoice
	At    int    // FieldChoice: the chosen item
	Hint  string // shown while a text field is empty
	Text  string // what a text field holds at first
	Rows  int    // FieldText: the most rows that it takes; 0: textRows

	line  textinput.Model
	area  textarea.Model
	first string // the value before anything was typed
	typed string // FieldChoice: the beginning of a name, as typed so far
}

// Value is the text of a text field, or the name of the chosen item.
func (f *Field) Value() string {
	switch {
	case f.Kind == FieldLine:
		return f.line.Value()
	case f.Kind == FieldText:
		return f.area.Value()
	case f.At < len(f.Items):
		return f.Items[f.At].Name
	}
	return ""
}

// Form asks for several values at once. It holds what was typed when it is
// closed, so that an opener that keeps it can go on where the person left.
type Form struct {
	Ask    string
	Intro  string // clean lines above the fields, as long as they need to be
	Fields []*Field
	// Send is called with the form filled in. A problem keeps the form open and
	// is shown in it.
	Send func(f *Form) (cmd tea.Cmd, problem string)
	// Problem is shown below the fields.
	Problem string
	// Kept says that the opener keeps what was typed when the form is closed.
	Kept bool

	focus      int
	top        int // first line shown, where not all are
	wide, tall int // the room, as Resize was told
}

// NewForm makes a form with its first field focused.
func NewForm(ask string, send func(*Form) (tea.Cmd, string), fields ...*Field) *Form {
	f := &Form{Ask: ask, Fields: fields, Send: send}
	for _, fd := range fields {
		fd.build()
	}
	f.focusOn(0)
	return f
}

func (f *Field) build() {
	switch f.Kind {
	case FieldLine:
		f.line = textinput.New()
		f.line.Prompt, f.line.Placeholder = "", f.Hint
		f.line.Cursor.SetMode(cursor.CursorStatic)
		f.line.SetValue(f.Text)
	case FieldText:
		f.area = textarea.New()
		f.area.Prompt, f.area.Placeholder = "", f.Hint
		f.area.ShowLineNumbers, f.area.CharLimit, f.area.MaxHeight = false, 0, 0
		f.area.Cursor.SetMode(cursor.CursorStatic)
		f.area.SetValue(f.Text)
		f.area.Focus()
		f.area, _ = f.area.Update(tea.KeyMsg{Type: tea.KeyCtrlHome}) // reading begins at the top
		f.area.Blur()
	}
	f.first = f.Value()
}

// Edited is what the person made of was, which is what Text came from. A text that
// nobody touched comes back as it was, with the characters that no field can hold.
func (f *Field) Edited(was string) string {
	if f.Value() == f.first {
		return was
	}
	return f.Value()
}

// Title is the form's name.
func (f *Form) Title() string { return f.Ask }

// Resize gives the text fields their room and their colours. The one that is being
// written in gets what it needs to be written in, even if others scroll out of sight.
func (f *Form) Resize(t *Theme, w, h int) {
	f.wide, f.tall = w, h
	text := min(w, 72) - f.nameWidth() - 3
	room, texts := h-1, 0
	for _, fd := range f.Fields {
		if fd.Kind == FieldText {
			texts++
		} else {
			room--
		}
	}
	for i, fd := range f.Fields {
		want := fd.Rows
		if want == 0 {
			want = max(textRows, h/2)
		}
		rows := min(want, room/max(1, texts))
		if i == f.focus {
			rows = max(rows, min(want, h-1, textRows))
		}
		fd.resize(t, max(4, text), max(1, rows))
	}
}

// textRows is how many rows a text field takes where there is room; on a high window it
// may take half of it.
const textRows = 8

func (f *Field) resize(t *Theme, w, h int) {
	cur := t.Plain.Reverse(true)
	switch f.Kind {
	case FieldLine:
		f.line.Width = w - 1
		f.line.TextStyle, f.line.PlaceholderStyle, f.line.Cursor.Style, f.line.Cursor.TextStyle = t.Plain, t.Faint, cur, t.Plain
		f.line.SetCursor(f.line.Position()) // the part around the cursor is the one to show
	case FieldText:
		st := textarea.Style{
			Base: t.Plain, CursorLine: t.Plain, CursorLineNumber: t.Plain, EndOfBuffer: t.Plain,
			LineNumber: t.Plain, Placeholder: t.Faint, Prompt: t.Plain, Text: t.Plain,
		}
		f.area.FocusedStyle, f.area.BlurredStyle = st, st
		f.area.Cursor.Style, f.area.Cursor.TextStyle = cur, t.Plain
		f.area.SetWidth(w)
		f.area.SetHeight(h)
	}
}

// Update edits the focused field.
func (f *Form) Update(k tea.KeyMsg) (bool, tea.Cmd) {
	fd := f.Fields[f.focus]
	switch s := k.String(); {
	case s == "esc", s == "ctrl+c":
		return true, nil
	case s == "ctrl+s", s == "enter" && fd.Kind != FieldText && f.focus == len(f.Fields)-1:
		return f.send()
	case s == "tab", s == "enter" && fd.Kind != FieldText, s == "down" && fd.Kind != FieldText:
		f.focusOn(f.focus + 1)
	case s == "shift+tab", s == "up" && fd.Kind != FieldText:
		f.focusOn(f.focus - 1)
	default:
		return false, fd.edit(k)
	}
	return false, nil
}

func (f *Form) send() (bool, tea.Cmd) {
	cmd, problem := f.Send(f)
	f.Problem = problem
	return problem == "", cmd
}

func (f *Field) edit(k tea.KeyMsg) (cmd tea.Cmd) {
	switch f.Kind {
	case FieldLine:
		f.line, cmd = f.line.Update(k)
	case FieldText:
		f.area, cmd = f.area.Update(k)
	case FieldChoice:
		f.choose(k)
	}
	return cmd
}

// choose goes to another item: the next one, or the one whose name is typed.
func (f *Field) choose(k tea.KeyMsg) {
	n := max(1, len(f.Items))
	switch s := k.String(); {
	case s == "left":
		f.At, f.typed = (f.At+n-1)%n, ""
	case s == "right", s == " " && f.typed == "":
		f.At, f.typed = (f.At+1)%n, ""
	case s == "backspace" && f.typed != "":
		r := []rune(f.typed)
		f.typed = string(r[:len(r)-1])
	case k.Type == tea.KeyRunes || k.Type == tea.KeySpace:
		for _, text := range []string{f.typed + string(k.Runes), string(k.Runes)} {
			if at := f.named(strings.ToLower(text)); at >= 0 {
				f.At, f.typed = at, text
				return
			}
		}
	}
}

// named is the item whose name begins with a text, else one that holds it; -1 for none.
func (f *Field) named(text string) int {
	for _, fits := range []func(string, string) bool{strings.HasPrefix, strings.Contains} {
		if at := slices.IndexFunc(f.Items, func(it Item) bool { return fits(strings.ToLower(it.Name), text) }); at >= 0 {
			return at
		}
	}
	return -1
}

func (f *Form) focusOn(i int) {
	n := len(f.Fields)
	f.focus = (i + n) % n
	for j, fd := range f.Fields {
		fd.focus(j == f.focus)
	}
}

func (f *Field) focus(on bool) {
	f.typed = ""
	switch {
	case f.Kind == FieldLine && on:
		f.line.Focus()
	case f.Kind == FieldLine:
		f.line.Blur()
	case f.Kind == FieldText && on:
		f.area.Focus()
	case f.Kind == FieldText:
		f.area.Blur()
	}
}

// Blank reports whether no text has been typed.
func (f *Form) Blank() bool {
	for _, fd := range f.Fields {
		if fd.Kind != FieldChoice && fd.Value() != "" {
			return false
		}
	}
	return true
}

func (f *Form) nameWidth() int {
	w := 0
	for _, fd := range f.Fields {
		w = max(w, Width(fd.Name))
	}
	return w
}

// Lines shows the fields: where there is no room for all, those around the one that
// is being filled in.
func (f *Form) Lines(t *Theme) []string {
	lines := f.intro(t)
	from, to := 0, 0 // of the focused field
	for i, fd := range f.Fields {
		if i == f.focus {
			from = len(lines)
		}
		for j, l := range fd.lines(t, i == f.focus) {
			name, bar, style := "", " ", t.Dim
			if i == f.focus {
				bar, style = t.Accent.Render(t.Glyph.Bar), t.Strong
			}
			if j == 0 {
				name = fd.Name
			}
			lines = append(lines, bar+style.Render(Fit(name, f.nameWidth()))+"  "+l)
		}
		if i == f.focus {
			to = len(lines)
		}
	}
	problem := f.problem(t)
	if f.focus == 0 && to <= f.tall+1-len(problem) { // what comes before belongs to it
		from = 0
	}
	return append(f.window(t, lines, from, to, f.tall+1-len(problem)), problem...)
}

func (f *Form) intro(t *Theme) (lines []string) {
	if f.Intro == "" {
		return nil
	}
	for l := range strings.SplitSeq(f.Intro, "\n") {
		for _, l := range Wrap(l, max(1, min(f.wide, 72))) {
			lines = append(lines, " "+t.Plain.Render(l))
		}
	}
	return append(lines, "")
}

// problem is what is wrong, in at most three lines, or a blank one.
func (f *Form) problem(t *Theme) []string {
	lines := Wrap(f.Problem, max(1, min(f.wide, 72)))
	for i, l := range lines {
		lines[i] = t.Bad.Render(l)
	}
	return lines[:min(len(lines), 3, max(1, f.tall-1))]
}

// window is the part of the lines that fits, with arrows where it leaves some out. It
// moves by as little as shows the lines from one to another.
func (f *Form) window(t *Theme, lines []string, from, to, room int) []string {
	room = max(1, room)
	if len(lines) <= room {
		f.top = 0
		return lines
	}
	f.top = max(min(f.top, from, len(lines)-room), min(to-room, from), 0)
	out := slices.Clone(lines[f.top : f.top+room])
	mark := func(i int, glyph string) {
		if strings.HasPrefix(out[i], " ") {
			out[i] = t.Faint.Render(glyph) + out[i][1:]
		}
	}
	if f.top > 0 {
		mark(0, t.Glyph.Up)
	}
	if f.top+room < len(lines) {
		mark(room-1, t.Glyph.Down)
	}
	return out
}

func (f *Field) lines(t *Theme, focused bool) []string {
	switch f.Kind {
	case FieldLine:
		return []string{Typed(f.line.View())}
	case FieldText:
		return splitLines(Typed(f.area.View()))
	}
	style := t.Plain
	if focused {
		style = t.Strong
	}
	note := ""
	if f.At < len(f.Items) {
		note = f.Items[f.At].Note
	}
	if n := len(f.Items); n > manyItems && focused {
		note = fmt.Sprintf("%d of %d  %s", f.At+1, n, note)
	}
	return []string{t.Faint.Render(t.Glyph.Left) + " " + style.Render(f.Value()) + " " + t.Faint.Render(t.Glyph.Right) + "  " + t.Dim.Render(note)}
}

// manyItems is the number of items from which on going through them one by one is too
// slow.
const manyItems = 9

// Keys are the form's own keys.
func (f *Form) Keys() []key.Binding {
	save := Bind("ctrl+s", "save", "ctrl+s")
	if len(f.Fields) == 1 && f.Fields[0].Kind == FieldLine {
		save = Bind("enter", "save", "enter")
	}
	leave := "back"
	if f.Kept {
		leave = "keep for later"
	}
	keys := []key.Binding{save, Bind("esc", leave, "esc")}
	if len(f.Fields) > 1 {
		keys = append(keys, Bind("tab", "next field", "tab"))
	}
	if f.Fields[f.focus].Kind == FieldChoice {
		keys = append(keys, Bind("←→", "choose", "left", "right"))
		if len(f.Fields[f.focus].Items) > manyItems {
			keys = append(keys, Bind("a-z", "by name"))
		}
	}
	return keys
}

package kit

import (
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

	line textinput.Model
	area textarea.Model
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
	Fields []*Field
	// Send is called with the form filled in. A problem keeps the form open and
	// is shown in it.
	Send func(f *Form) (cmd tea.Cmd, problem string)
	// Problem is shown below the fields.
	Problem string
	// Kept says that the opener keeps what was typed when the form is closed.
	Kept bool

	focus int
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
	}
}

// Title is the form's name.
func (f *Form) Title() string { return f.Ask }

// Resize gives the text fields their room and their colours.
func (f *Form) Resize(t *Theme, w, h int) {
	text := min(w, 72) - f.nameWidth() - 3
	room, texts := h-1, 0
	for _, fd := range f.Fields {
		if fd.Kind == FieldText {
			texts++
		} else {
			room--
		}
	}
	for _, fd := range f.Fields {
		rows := fd.Rows
		if rows == 0 {
			rows = textRows
		}
		fd.resize(t, max(4, text), max(1, min(rows, room/max(1, texts))))
	}
}

// textRows is how many rows a text field takes where there is room.
const textRows = 8

func (f *Field) resize(t *Theme, w, h int) {
	cur := t.Plain.Reverse(true)
	switch f.Kind {
	case FieldLine:
		f.line.Width = w - 1
		f.line.TextStyle, f.line.PlaceholderStyle, f.line.Cursor.Style, f.line.Cursor.TextStyle = t.Plain, t.Faint, cur, t.Plain
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
		switch k.String() {
		case "left", "h":
			f.At = (f.At + len(f.Items) - 1) % max(1, len(f.Items))
		case "right", "l", " ":
			f.At = (f.At + 1) % max(1, len(f.Items))
		}
	}
	return cmd
}

func (f *Form) focusOn(i int) {
	n := len(f.Fields)
	f.focus = (i + n) % n
	for j, fd := range f.Fields {
		fd.focus(j == f.focus)
	}
}

func (f *Field) focus(on bool) {
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

// Lines shows the fields.
func (f *Form) Lines(t *Theme) []string {
	var lines []string
	for i, fd := range f.Fields {
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
	}
	return append(lines, t.Bad.Render(f.Problem))
}

func (f *Field) lines(t *Theme, focused bool) []string {
	switch f.Kind {
	case FieldLine:
		return []string{f.line.View()}
	case FieldText:
		return splitLines(f.area.View())
	}
	style := t.Plain
	if focused {
		style = t.Strong
	}
	note := ""
	if f.At < len(f.Items) {
		note = f.Items[f.At].Note
	}
	return []string{t.Faint.Render(t.Glyph.Left) + " " + style.Render(f.Value()) + " " + t.Faint.Render(t.Glyph.Right) + "  " + t.Dim.Render(note)}
}

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
	}
	return keys
}

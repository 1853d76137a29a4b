package hostcron

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The lines around the managed block.
const (
	BlockBegin = "# >>> iterion schedules (managed by `iterion schedule install`) >>>"
	BlockEnd   = "# <<< iterion schedules <<<"
)

// What a line must begin with to be one of a block's, however the rest of it reads:
// a block of another version, or one that somebody touched, is not taken for the
// user's own lines.
const (
	beginsBlock = "# >>> iterion schedules"
	endsBlock   = "# <<< iterion schedules"
)

// commandMax is the longest command that Vixie cron and its heirs take.
const commandMax = 998

// Block is the managed block that a manifest asks for.
type Block struct {
	Text    []byte    // with both markers
	Names   []string  // of the schedules that have lines
	Skipped []Problem // of the rows that have none though they are enabled
}

// caller is what the lines of a block call.
type caller struct {
	paths    Paths
	binary   string
	manifest bool // is named in the lines
	host     *time.Location
	cron     *time.Location // in which the lines are read
	now      time.Time
}

// block writes the lines of all rows that can have some.
func (c caller) block(m *Manifest) (Block, error) {
	if err := c.check(); err != nil {
		return Block{}, err
	}
	var b Block
	text := []string{BlockBegin}
	for _, r := range m.Rows {
		if len(r.Problems) > 0 {
			b.Skipped = append(b.Skipped, r.Problems...)
			continue
		}
		if r.Disabled {
			continue
		}
		lines, err := c.lines(r.Schedule)
		if err != nil {
			b.Skipped = append(b.Skipped, Problem{File: m.Path, Line: r.Line, Name: r.Name, Key: "cron", What: err.Error()})
			continue
		}
		text = append(text, lines...)
		b.Names = append(b.Names, r.Name)
	}
	b.Text = []byte(strings.Join(append(text, BlockEnd, ""), "\n"))
	return b, nil
}

// lines returns the crontab lines of one schedule, under a comment that says what
// the manifest says: in another zone than the host's they look odd.
func (c caller) lines(s Schedule) ([]string, error) {
	spec, err := s.Spec(c.host)
	if err != nil {
		return nil, err
	}
	times, err := spec.CrontabLines(c.host, c.now)
	if err != nil {
		return nil, err
	}
	// Whoever installs may keep another time than cron does. A tick too many finds
	// nothing to do, a tick too few would be a slot that nobody decides.
	if spec, err = s.Spec(c.cron); err != nil {
		return nil, err
	}
	more, err := spec.CrontabLines(c.cron, c.now)
	if err != nil {
		return nil, err
	}
	for _, t := range more {
		if !slices.Contains(times, t) {
			times = append(times, t)
		}
	}
	command := c.command(s.Name)
	if n := len(command); n > commandMax {
		return nil, fmt.Errorf("its command would be %d bytes long and cron takes %d: shorten the paths of the program or of the manifest", n, commandMax)
	}
	said := spec.String()
	if zone := spec.Zone().String(); zone != c.host.String() {
		said += " " + zone
	}
	out := []string{"# " + s.Name + ": " + said}
	for _, t := range times {
		out = append(out, t+" "+command)
	}
	return out, nil
}

// command is what cron hands to the shell. The folder of the log is made each time:
// without it the shell could not even start the tick, and nobody would know.
func (c caller) command(name string) string {
	words := []string{quote(c.binary), "schedule run --tick", name}
	if c.manifest {
		words = append(words, "--manifest", quote(c.paths.Manifest))
	}
	return "mkdir -p -m 700 " + quote(c.paths.logs()) + "; " + strings.Join(words, " ") + " >>" + quote(c.paths.Log(name)) + " 2>&1"
}

// check refuses what no crontab line can hold.
func (c caller) check() error {
	for what, path := range map[string]string{"program": c.binary, "manifest": c.paths.Manifest} {
		if strings.ContainsAny(path, "\n\r\x00") {
			return fmt.Errorf("%w path of the %s %q: a crontab line cannot hold a line break", ErrInvalid, what, path)
		}
	}
	return nil
}

// quote writes a word for the shell, inside a crontab line.
//
// Cron gets the line first: a % ends the command unless a backslash stands before
// it, which cron takes away. Some crons also make one of two backslashes, others do
// not, so there are never two side by side, and none stands before the one of a %.
func quote(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plainRune(r) }) {
		return word
	}
	var out strings.Builder
	out.WriteByte('\'')
	for i := range len(word) {
		switch ch := word[i]; {
		case ch == '\'':
			out.WriteString(`'\''`)
		case ch == '%':
			out.WriteString(`\%`)
		case ch == '\\' && i+1 < len(word) && (word[i+1] == '\\' || word[i+1] == '%'):
			out.WriteString(`\''`)
		default:
			out.WriteByte(ch)
		}
	}
	out.WriteByte('\'')
	return out.String()
}

func plainRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+=:@,", r)
}

// Rewrite returns a crontab with its managed block replaced by block, or with block
// behind everything where there was none. Errors: ErrDamaged.
func Rewrite(existing, block []byte) ([]byte, error) {
	from, to, err := find(existing)
	if err != nil {
		return nil, err
	}
	before, after := existing[:from], existing[to:]
	if n := len(before); n > 0 && before[n-1] != '\n' {
		before = append(bytes.Clone(before), '\n')
	}
	return bytes.Join([][]byte{before, block, ended(after)}, nil), nil
}

// Remove returns a crontab without its managed block.
func Remove(existing []byte) ([]byte, error) {
	from, to, err := find(existing)
	if err != nil || from == to {
		return existing, err
	}
	return ended(append(bytes.Clone(existing[:from]), existing[to:]...)), nil
}

// ended gives a text its last newline: cron passes over a line without one.
func ended(text []byte) []byte {
	if n := len(text); n > 0 && text[n-1] != '\n' {
		return append(bytes.Clone(text), '\n')
	}
	return text
}

// find returns where the managed block lies, [from, to). Without one both are the
// text's end.
func find(text []byte) (from, to int, err error) {
	from, to = len(text), len(text)
	begun, done := 0, 0 // lines, from 1
	at := 0
	for n, line := range bytes.SplitAfter(text, []byte("\n")) {
		switch line := string(line); {
		case strings.HasPrefix(line, beginsBlock) && begun > 0:
			return 0, 0, damaged(n+1, "a second block begins; the first one began in line %d", begun)
		case strings.HasPrefix(line, beginsBlock):
			begun, from = n+1, at
		case strings.HasPrefix(line, endsBlock) && (begun == 0 || done > 0):
			return 0, 0, damaged(n+1, "a block ends that has not begun")
		case strings.HasPrefix(line, endsBlock):
			done, to = n+1, at+len(line)
		}
		at += len(line)
	}
	if begun > 0 && done == 0 {
		return 0, 0, damaged(begun, "the block has no end")
	}
	return from, to, nil
}

func damaged(line int, format string, args ...any) error {
	return fmt.Errorf("%w of schedules in the crontab, line %d: %s. Which lines are yours cannot be told: "+
		"put it right with `crontab -e` (it begins with %q and ends with %q, or take both lines out), then try again",
		ErrDamaged, line, fmt.Sprintf(format, args...), BlockBegin, BlockEnd)
}

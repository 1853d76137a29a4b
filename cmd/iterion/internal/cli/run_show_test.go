package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iterion/native/run"
)

func TestVisibleWriterShowsWhatATerminalWouldExecute(t *testing.T) {
	for name, c := range map[string]struct {
		writes []string
		want   string
	}{
		"colour":            {[]string{"\x1b[31mred\x1b[0m\n"}, "^[[31mred^[[0m\n"},
		"title in pieces":   {[]string{"\x1b", "]0;x", "\a"}, "^[]0;x^G"},
		"rune in pieces":    {[]string{"h\xc3", "\xa9\xf0\x9f", "\x91\x8b!"}, "hé👋!"},
		"carriage return":   {[]string{"50%\r100%\n"}, "50%^M100%\n"},
		"no UTF-8":          {[]string{"a\xffb\xc3("}, `a\xffb\xc3(`},
		"rune without rest": {[]string{"end\xe2\x82"}, `end\xe2\x82`},
		"tabs and newlines": {[]string{"a\tb\n\nc"}, "a\tb\n\nc"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w := &visibleWriter{w: &out}
			for _, s := range c.writes {
				if n, err := w.Write([]byte(s)); err != nil || n != len(s) {
					t.Fatalf("Write(%q) = %d, %v", s, n, err)
				}
			}
			w.flush()
			if out.String() != c.want {
				t.Errorf("got %q, want %q", out.String(), c.want)
			}
		})
	}
}

func TestLineStartFindsTheLastLines(t *testing.T) {
	long := strings.Repeat("x", 70<<10) // longer than a block
	for name, c := range map[string]struct {
		text string
		n    int
		want string
	}{
		"none":          {"a\nb\n", 0, ""},
		"one":           {"a\nb\n", 1, "b\n"},
		"open end":      {"a\nb", 1, "b"},
		"all":           {"a\nb\n", 2, "a\nb\n"},
		"more":          {"a\nb\n", 9, "a\nb\n"},
		"empty":         {"", 3, ""},
		"empty lines":   {"a\n\n\n", 2, "\n\n"},
		"over a block":  {"a\n" + long + "\nb\n", 2, long + "\nb\n"},
		"block on edge": {"a\n" + strings.Repeat("y", 64<<10-1) + "\n", 1, strings.Repeat("y", 64<<10-1) + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := lineStart(strings.NewReader(c.text), int64(len(c.text)), c.n)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.text[at:]; got != c.want {
				t.Errorf("got %d bytes from %d, want %d", len(got), at, len(c.want))
			}
		})
	}
}

// shown returns a show over a run whose log and progress the test writes.
func shown(t *testing.T, io *Streams) (*show, *run.Dir, run.Record) {
	t.Helper()
	runs := run.Open(t.TempDir(), run.Options{NoFsync: true})
	rec := run.Record{ID: run.NewID(), Bot: "b", Status: run.Running, CreatedAt: time.Now(),
		Progress: &run.Progress{Text: "half\x1b[2J way"}}
	lock, err := runs.Create(t.Context(), rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	f := NewFactory(io, Hooks{})
	f.Env = func(string) string { return "" }
	return newShow(f, runs, rec.ID), runs, rec
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestShowKeepsLogAndStatusLineApart(t *testing.T) {
	var screen bytes.Buffer // both streams are the same terminal
	s, runs, rec := shown(t, &Streams{Out: &screen, Err: &screen, OutTTY: true, ErrTTY: true, Width: 60})
	s.more()                             // no log yet
	s.looked = time.Now().Add(time.Hour) // one status line is enough
	appendTo(t, runs.LogPath(rec.ID), "one\n\x1b[31mtwo\n")
	s.more()
	s.close()
	want := "\r\x1b[Kb running · half^[[2J way" + "\r\x1b[K" + "one\n^[[31mtwo\n"
	if got := screen.String(); got != want {
		t.Errorf("screen\n got %q\nwant %q", got, want)
	}
}

func TestShowDrawsNoStatusLineIntoAnOpenLine(t *testing.T) {
	var screen bytes.Buffer
	s, runs, rec := shown(t, &Streams{Out: &screen, Err: &screen, OutTTY: true, ErrTTY: true, Width: 60})
	appendTo(t, runs.LogPath(rec.ID), "Password: ")
	s.more()
	s.close()
	if got := screen.String(); got != "Password: " {
		t.Errorf("screen = %q, want the open line alone", got)
	}
}

func TestShowPassesBytesThroughWhenNobodyWatches(t *testing.T) {
	var out, talk bytes.Buffer
	s, runs, rec := shown(t, &Streams{Out: &out, Err: &talk})
	appendTo(t, runs.LogPath(rec.ID), "\x1b[31m\xff")
	s.rest()
	s.close()
	if out.String() != "\x1b[31m\xff" || talk.Len() > 0 {
		t.Errorf("out = %q, talk = %q; want the bytes and silence", out.String(), talk.String())
	}
}

func TestProgressLineIsCutToTheTerminal(t *testing.T) {
	var screen bytes.Buffer
	l := &statusLine{w: &screen, width: 8}
	l.draw("0123456789")
	l.draw("0123456789")
	l.clear()
	l.clear()
	if want := "\r\x1b[K012345…\r\x1b[K"; screen.String() != want {
		t.Errorf("screen = %q, want %q", screen.String(), want)
	}
}

func TestCancelOfAPausedRunSettlesItsRecord(t *testing.T) {
	runs := run.Open(t.TempDir(), run.Options{NoFsync: true})
	rec := run.Record{ID: run.NewID(), Bot: "b", Status: run.PausedOperator, CreatedAt: time.Now()}
	lock, err := runs.Create(t.Context(), rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := NewFactory(&Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, Hooks{})
	if _, err := f.cancelPaused(runs, rec.ID, ""); err == nil {
		t.Error("cancelled a run whose lock somebody holds")
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.cancelPaused(runs, rec.ID, ""); err != nil {
		t.Fatal(err)
	}
	got, err := runs.Get(rec.ID)
	if err != nil || got.Status != run.Cancelled || got.OutcomeSeq != 1 {
		t.Errorf("record = %+v, %v, want it cancelled", got, err)
	}
	if _, err := os.Stat(filepath.Join(runs.Path(rec.ID), run.EventsFile)); err != nil {
		t.Errorf("the outcome left no event: %v", err)
	}
}

package cli

import (
	"bytes"
	"os"
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
	rec := run.Record{ID: run.NewID(), Bot: "b", Status: run.Running, CreatedAt: began, StartedAt: began,
		Progress: &run.Progress{Text: "half\x1b[2J way"}}
	lock, err := runs.Create(t.Context(), rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	f := NewFactory(io, Hooks{})
	f.Env = func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] }
	return newShow(f, runs, rec.ID), runs, rec
}

// began is when the shown run did; a multiple of all frames of the spinner.
var began = time.Unix(1_800_000_000, 0)

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

func TestShowScrollsTheLogAboveTheStatusLine(t *testing.T) {
	screen := newGlass(60)
	s, runs, rec := shown(t, screen.streams())
	s.more(began.Add(12 * time.Second)) // no log yet
	screen.want(t, "⠋ b 0:12 · half^[[2J way")
	appendTo(t, runs.LogPath(rec.ID), "one\n\x1b[31mtwo\nthr")
	s.more(began.Add(72 * time.Second))
	screen.want(t, "one\n^[[31mtwo\nthr\n⠋ b 1:12 · half^[[2J way")
	appendTo(t, runs.LogPath(rec.ID), "ee\n")
	s.more(began.Add(3600 * time.Second))
	screen.want(t, "one\n^[[31mtwo\nthree\n⠋ b 1:00:00 · half^[[2J way")
	appendTo(t, runs.LogPath(rec.ID), "no end")
	s.close()
	screen.want(t, "one\n^[[31mtwo\nthree\nno end\n")
}

func TestShowDrawsNothingWhereALineCannotBeRedrawn(t *testing.T) {
	for name, change := range map[string]func(*Streams, *Factory){
		"quiet":         func(_ *Streams, f *Factory) { f.Global.Quiet = true },
		"json":          func(_ *Streams, f *Factory) { f.Global.JSON = true },
		"dumb":          func(_ *Streams, f *Factory) { f.Env = func(string) string { return "dumb" } },
		"piped result":  func(s *Streams, _ *Factory) { s.OutTTY = false },
		"piped talk":    func(s *Streams, _ *Factory) { s.ErrTTY = false },
		"nobody at all": func(s *Streams, _ *Factory) { s.OutTTY, s.ErrTTY = false, false },
	} {
		t.Run(name, func(t *testing.T) {
			screen := newGlass(60)
			s, runs, rec := shown(t, screen.streams())
			change(s.f.IO, s.f)
			s = newShow(s.f, runs, rec.ID)
			appendTo(t, runs.LogPath(rec.ID), "Password: ")
			s.more(began.Add(time.Second))
			s.close()
			if got := screen.raw.String(); got != "Password: " {
				t.Errorf("screen = %q, want the log alone", got)
			}
		})
	}
}

func TestShowPassesBytesThroughWhenNobodyWatches(t *testing.T) {
	var out, talk bytes.Buffer
	s, runs, rec := shown(t, &Streams{Out: &out, Err: &talk})
	appendTo(t, runs.LogPath(rec.ID), "\x1b[31m\xff")
	s.close()
	if out.String() != "\x1b[31m\xff" || talk.Len() > 0 {
		t.Errorf("out = %q, talk = %q; want the bytes and silence", out.String(), talk.String())
	}
}

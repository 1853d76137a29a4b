package hostcron

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// berlin is what tests take for the host's zone.
func berlin(t *testing.T) *time.Location {
	t.Helper()
	l, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestBlockCallsEnabledRowsAndNamesWhatItLeavesOut(t *testing.T) {
	p := manifestOf(t, `schedules:
  - {name: nightly, cron: "0 5 * * *", bot: audit}
  - {name: off, cron: "0 3 * * *", bot: audit, disabled: true}
  - {name: broken, cron: "0 3 * *", bot: audit}
  - {name: every, cron: "@every 90s", bot: audit}
  - {name: hourly, cron: "@hourly", bot: audit, tz: Europe/Berlin}
`)
	i := Installer{Paths: p, Host: berlin(t), Binary: "/opt/my tools/100%/iterion", CronHome: p.Dir()}
	b, err := i.Block()
	if err != nil {
		t.Fatal(err)
	}
	dir := p.Dir()
	tail := " --manifest " + p.Manifest + " >>" + dir + "/logs/schedule-"
	want := BlockBegin + `
# nightly: 0 5 * * *
0 5 * * * mkdir -p -m 700 ` + dir + `/logs; '/opt/my tools/100\%/iterion' schedule run --tick nightly` + tail + `nightly.log 2>&1
# hourly: @hourly
0 * * * * mkdir -p -m 700 ` + dir + `/logs; '/opt/my tools/100\%/iterion' schedule run --tick hourly` + tail + `hourly.log 2>&1
` + BlockEnd + "\n"
	if string(b.Text) != want {
		t.Errorf("got\n%swant\n%s", b.Text, want)
	}
	if strings.Join(b.Names, " ") != "nightly hourly" || len(b.Skipped) != 2 ||
		b.Skipped[0].Name != "broken" || b.Skipped[1].Name != "every" || !strings.Contains(b.Skipped[1].What, "iterion trigger add") {
		t.Errorf("%v, %v", b.Names, b.Skipped)
	}
}

func TestBlockLeavesTheDefaultManifestUnnamed(t *testing.T) {
	p := Default(t.TempDir())
	if err := editorOf(p).Add(t.Context(), nightly()); err != nil {
		t.Fatal(err)
	}
	for home, named := range map[string]bool{filepath.Dir(p.Dir()): false, "/other": true, "": true} {
		b, err := Installer{Paths: p, Host: time.UTC, Binary: "/bin/iterion", CronHome: home}.Block()
		if err != nil || bytes.Contains(b.Text, []byte("--manifest")) != named {
			t.Errorf("cron's home %q: %v\n%s", home, err, b.Text)
		}
	}
}

func TestBlockSaysTheZoneOfAForeignSchedule(t *testing.T) {
	p := manifestOf(t, "schedules:\n  - {name: a, cron: '30 2 * * *', tz: Asia/Kolkata, bot: b}\n")
	b, err := Installer{Paths: p, Host: berlin(t), Binary: "/bin/iterion"}.Block()
	if err != nil || !bytes.Contains(b.Text, []byte("\n# a: 30 2 * * * Asia/Kolkata\n")) {
		t.Errorf("%v\n%s", err, b.Text)
	}
	if lines := bytes.Count(b.Text, []byte("schedule run --tick a ")); lines < 1 {
		t.Errorf("%d lines", lines)
	}
}

func TestBlockRefusesPathsThatNoLineCanHold(t *testing.T) {
	p := manifestOf(t, "schedules:\n  - {name: a, cron: '0 1 * * *', bot: b}\n")
	if _, err := (Installer{Paths: p, Host: time.UTC, Binary: "/bin/a\nb"}).Block(); !errors.Is(err, ErrInvalid) {
		t.Errorf("line break: %v", err)
	}
	b, err := Installer{Paths: p, Host: time.UTC, Binary: "/" + strings.Repeat("x", 1000)}.Block()
	if err != nil || len(b.Names) != 0 || len(b.Skipped) != 1 || !strings.Contains(b.Skipped[0].What, "cron takes 998") {
		t.Errorf("too long: %v, %+v", err, b)
	}
}

const someBlock = BlockBegin + "\n1 2 3 4 5 x\n" + BlockEnd + "\n"

func TestRewritePutsTheBlockInItsPlace(t *testing.T) {
	old := BlockBegin + "\nold\n" + BlockEnd
	for name, c := range map[string]struct{ existing, want, removed string }{
		"none":            {"", someBlock, ""},
		"behind":          {"0 1 * * * a\n", "0 1 * * * a\n" + someBlock, "0 1 * * * a\n"},
		"no last newline": {"0 1 * * * a", "0 1 * * * a\n" + someBlock, "0 1 * * * a\n"},
		"in place":        {"A=1\n" + old + "\n0 1 * * * b\n", "A=1\n" + someBlock + "0 1 * * * b\n", "A=1\n0 1 * * * b\n"},
		"unended user":    {old + "\n0 1 * * * b", someBlock + "0 1 * * * b\n", "0 1 * * * b\n"},
		"unended block":   {"# x\n" + old, "# x\n" + someBlock, "# x\n"},
		"carriage return": {"a\r\n" + strings.ReplaceAll(old, "\n", "\r\n") + "\r\nb\r\n", "a\r\n" + someBlock + "b\r\n", "a\r\nb\r\n"},
		"other words":     {"# >>> iterion schedules, do not edit\nold\n# <<< iterion schedules\nb\n", someBlock + "b\n", "b\n"},
		"mentioned":       {"# see # >>> iterion schedules\n", "# see # >>> iterion schedules\n" + someBlock, "# see # >>> iterion schedules\n"},
		"not utf-8":       {"# \xff\x00\n", "# \xff\x00\n" + someBlock, "# \xff\x00\n"},
	} {
		got, err := Rewrite([]byte(c.existing), []byte(someBlock))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%q, want\n%q", name, err, got, c.want)
		}
		gone, err := Remove(got)
		if err != nil || string(gone) != c.removed {
			t.Errorf("%s: removed: %v\n%q, want\n%q", name, err, gone, c.removed)
		}
	}
}

func TestRemoveWithoutABlockChangesNothing(t *testing.T) {
	for _, text := range []string{"", "a", "a\r\nb"} {
		if got, err := Remove([]byte(text)); err != nil || string(got) != text {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestRewriteRefusesADamagedBlock(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"no end":      {"a\n" + BlockBegin + "\nb\n", "line 2: the block has no end"},
		"no begin":    {"a\n" + BlockEnd + "\n", "line 2: a block ends that has not begun"},
		"nested":      {BlockBegin + "\n" + BlockBegin + "\n" + BlockEnd + "\n", "line 2: a second block begins; the first one began in line 1"},
		"two":         {someBlock + someBlock, "line 4: a second block begins"},
		"end twice":   {someBlock + BlockEnd + "\n", "line 4: a block ends that has not begun"},
		"wrong order": {BlockEnd + "\n" + BlockBegin + "\n", "line 1: a block ends"},
	} {
		for verb, err := range map[string]error{
			"rewrite": second(Rewrite([]byte(c.text), []byte(someBlock))), "remove": second(Remove([]byte(c.text))),
		} {
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, %s: %v, want %q", name, verb, err, c.says)
			}
		}
	}
}

func second(_ []byte, err error) error { return err }

func TestPropertyRewriteIsIdempotentAndKeepsAllElse(t *testing.T) {
	line := rapid.SampledFrom([]string{"0 1 * * * a", "", "# x", "A=1\r", " ", "% \\", "\xff", BlockBegin + "x", BlockBegin, BlockEnd, "ü"})
	damaged, whole := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(line, 0, 8).Draw(t, "lines"), "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end"))
		once, err := Rewrite(text, []byte(someBlock))
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			damaged++
			return
		}
		whole++
		again, err := Rewrite(once, []byte(someBlock))
		if err != nil || !bytes.Equal(once, again) {
			t.Fatalf("again: %v\n%q\n%q", err, once, again)
		}
		if n := bytes.Count(once, []byte(someBlock)); n != 1 || once[len(once)-1] != '\n' {
			t.Fatalf("%d blocks in %q", n, once)
		}
		before, after, _ := bytes.Cut(once, []byte(someBlock))
		user := append(bytes.Clone(before), after...)
		without, err := Remove(text)
		if err != nil || !bytes.Equal(user, ended(without)) {
			t.Fatalf("the user's lines: %v\n%q\n%q", err, user, without)
		}
	})
	if damaged == 0 || whole == 0 {
		t.Errorf("%d damaged, %d whole: the test looks at one kind alone", damaged, whole)
	}
}

// FuzzRewrite: whatever a crontab holds, it is refused or comes out as it was but
// for the block.
func FuzzRewrite(f *testing.F) {
	for _, text := range []string{"", "a", someBlock, "a\n" + someBlock + "b", BlockBegin, BlockEnd + "\r\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := Rewrite(text, []byte(someBlock))
		if err != nil {
			return
		}
		again, err := Rewrite(once, []byte(someBlock))
		if err != nil || !bytes.Equal(once, again) {
			t.Errorf("again: %v, %q", err, again)
		}
		if !bytes.Contains(text, []byte(beginsBlock)) && !bytes.HasPrefix(once, text) {
			t.Errorf("%q became %q", text, once)
		}
	})
}

// cronCommand is a small model of what a cron does to the command of a line: % ends
// it, and a backslash before one goes. Vixie's and its heirs also make one of two
// backslashes; others do not.
func cronCommand(line string, pairs bool) string {
	var out strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '%':
			return out.String() // the rest is the command's input
		case line[i] == '\\' && i+1 < len(line) && (line[i+1] == '%' || pairs && line[i+1] == '\\'):
			i++
		case line[i] == '\\' && i+1 < len(line):
			out.WriteByte('\\')
			i++
		}
		out.WriteByte(line[i])
	}
	return out.String()
}

func TestModelOfCron(t *testing.T) {
	for _, c := range []struct{ line, vixie, other string }{
		{`date +\%F`, "date +%F", "date +%F"},
		{`mail%hello`, "mail", "mail"},
		{`a \\ b`, `a \ b`, `a \\ b`},
		{`a \n \\% b`, `a \n \`, `a \n \\`},
	} {
		if got := cronCommand(c.line, true); got != c.vixie {
			t.Errorf("%s: %s, want %s", c.line, got, c.vixie)
		}
		if got := cronCommand(c.line, false); got != c.other {
			t.Errorf("%s: %s, want %s", c.line, got, c.other)
		}
	}
}

// words are what a shell makes of a command line that came through a cron.
func words(t rapid.TB, commandLine string) []string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "printf '%s\\0' "+commandLine)
	cmd.Env = []string{}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("sh: %v: %s", err, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func TestPropertyQuotedWordsComeThroughEveryCronAndTheShell(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "%", "\\", "'", "\"", " ", "$HOME", "`id`", "\\%", "\\\\", "''", "é", ";", "*", "~", "#", "!", "\t", "\xff", "-"})
	rapid.Check(t, func(t *rapid.T) {
		var raw []string
		var line []string
		for range rapid.IntRange(1, 4).Draw(t, "words") {
			w := strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "word"), "")
			raw, line = append(raw, w), append(line, quote(w))
		}
		for _, pairs := range []bool{true, false} {
			got := words(t, cronCommand(strings.Join(line, " "), pairs))
			if strings.Join(got, "\x00") != strings.Join(raw, "\x00") {
				t.Fatalf("pairs %v: %q became %q by %s", pairs, raw, got, line)
			}
		}
	})
}

// A whole line, from a binary and a manifest in a folder with a nasty name, with
// nothing in the environment but what a cron sets.
func TestLineRunsFromABareEnvironment(t *testing.T) {
	for _, name := range []string{"plain", "with blank", "100% sure", `it's "so"`, `back\slash \\ \% end\`} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), name)
			p := Paths{Manifest: filepath.Join(dir, manifestName)}
			if err := editorOf(p).Add(t.Context(), Schedule{Name: "nightly", Cron: "0 2 * * *", Bot: "b"}); err != nil {
				t.Fatal(err)
			}
			binary := filepath.Join(dir, "iterion")
			script := "#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done; echo; env | cut -d= -f1 | sort | tr '\\n' ' '; echo to-stderr >&2\n"
			if err := os.WriteFile(binary, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			b, err := Installer{Paths: p, Host: time.UTC, Binary: binary}.Block()
			if err != nil {
				t.Fatal(err)
			}
			line := strings.Split(string(b.Text), "\n")[2]
			command, ok := strings.CutPrefix(line, "0 2 * * * ")
			if !ok {
				t.Fatalf("line %q", line)
			}
			for n, pairs := range []bool{true, false} {
				cmd := exec.Command("/bin/sh", "-c", cronCommand(command, pairs))
				cmd.Dir, cmd.Env = "/", []string{"HOME=" + t.TempDir(), "SHELL=/bin/sh", "PATH=/usr/bin:/bin"}
				if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
					t.Fatalf("%v: cron would mail %q", err, out)
				}
				log, err := os.ReadFile(p.Log("nightly"))
				want := "<schedule><run><--tick><nightly><--manifest><" + p.Manifest + ">\n"
				if err != nil || strings.Count(string(log), want) != n+1 || !strings.Contains(string(log), "to-stderr") {
					t.Errorf("%v: the log says %q, want %q", err, log, want)
				}
				if strings.Contains(string(log), "ITERION") {
					t.Errorf("the line sets something: %q", log)
				}
			}
			if info, err := os.Stat(filepath.Dir(p.Log("nightly"))); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("the folder of the log: %v, %v", info.Mode(), err)
			}
		})
	}
}

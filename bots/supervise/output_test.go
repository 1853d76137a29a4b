package supervise

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However a stream is cut into pieces, what is shown is the same and holds no
// secret.
func TestRedactionDoesNotDependOnTheCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(rapid.StringMatching(`[ab]{4,6}`), 1, 3).Draw(t, "secrets")
		text := rapid.StringMatching(`[abc]{0,40}`).Draw(t, "text")
		hide := newRedactor(secrets)
		whole := hide.clean(text)
		cut := hide.fresh()
		var shown strings.Builder
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			shown.Write(cut.next([]byte(rest[:n])))
			rest = rest[n:]
		}
		shown.Write(cut.rest())
		if shown.String() != whole {
			t.Fatalf("%q in one piece, %q in several", whole, shown.String())
		}
		for _, s := range secrets {
			if strings.Contains(shown.String(), s) {
				t.Fatalf("%q holds %q", shown.String(), s)
			}
		}
	})
}

func TestShortValuesAreNotBlottedOut(t *testing.T) {
	if got := newRedactor([]string{"1", ""}).clean("1 of 1"); got != "1 of 1" {
		t.Errorf("got %q", got)
	}
}

func TestLogUnderItsLimitIsKeptWhole(t *testing.T) {
	log, path := newLog(t, 100)
	write(log, "half a line")
	log.Note("a note")
	write(log, strings.Repeat("x", 100-len("half a line\n[iterion: a note]\n")))
	if got := closeLog(t, log, path); len(got) != 100 || !strings.HasPrefix(got, "half a line\n[iterion: a note]\nx") {
		t.Errorf("log is %q", got)
	}
}

func TestCutLogEndsWithItsLastLines(t *testing.T) {
	log, path := newLog(t, 10)
	cuts := 0
	log.onCut = func() { cuts++ }
	for range 10 {
		write(log, strings.Repeat("0123456789abcdef", tailKept/16/2)+"\n")
	}
	write(log, "the end\n")
	got := closeLog(t, log, path)
	if !strings.HasPrefix(got, "0123456789\n[iterion: the log reached its limit of 10 bytes") || !strings.HasSuffix(got, "\nthe end\n") {
		t.Errorf("log begins %.80q and ends %q", got, got[len(got)-20:])
	}
	if len(got) > tailKept+500 || cuts != 1 {
		t.Errorf("log has %d bytes, %d cuts", len(got), cuts)
	}
}

func TestCutLogThatLostNothingSaysNoMore(t *testing.T) {
	log, path := newLog(t, 10)
	write(log, "0123456789\nrest\n")
	if got := closeLog(t, log, path); strings.Contains(got, "left out") || !strings.HasSuffix(got, "\nrest\n") {
		t.Errorf("log is %q", got)
	}
}

func TestALogThatCannotBeWrittenDoesNotStopItsWriter(t *testing.T) {
	log, _ := newLog(t, 100)
	log.f.Close()
	if n, err := log.Write([]byte("abc")); n != 3 || err != nil {
		t.Errorf("write: %d, %v", n, err)
	}
	if err := log.Close(); err == nil {
		t.Error("the failure was not told")
	}
}

func TestALineTooLongIsNoReportAndTheNextOneIs(t *testing.T) {
	var got []string
	l := &lines{max: maxReport, each: func(b []byte) { got = append(got, string(b)) }}
	l.add([]byte("a"))
	l.add(bytes.Repeat([]byte("x"), maxReport))
	l.add([]byte("x\nb"))
	l.add([]byte("c\n\nd"))
	l.flush()
	if strings.Join(got, ",") != "bc,d" {
		t.Errorf("got %.100q", got)
	}
	if cap(l.part) > 2*maxReport {
		t.Errorf("%d bytes are held", cap(l.part))
	}
}

func newLog(t *testing.T, limit int64) (*logFile, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	log, err := openLog(path, limit, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return log, path
}

func write(log *logFile, s string) { _, _ = log.Write([]byte(s)) }

func closeLog(t *testing.T, log *logFile, path string) string {
	t.Helper()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

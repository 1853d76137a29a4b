package streamtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/stream"
)

// maxProgress bounds a progress, in characters.
const maxProgress = 200

// Fuzz throws streams at an engine, the samples first: whatever they hold, it must
// not panic, and what it says must keep the contract.
func Fuzz(f *testing.F, newEngine New) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, 0)
		f.Add(data[:len(data)/2], 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, code int) { check(t, newEngine, data, string(data), code) })
}

func check(t *testing.T, newEngine New, data []byte, stderr string, code int) {
	for _, start := range []agent.Start{{}, {Session: "s1", CostUSD: 1, TokensIn: 10, TokensOut: 1}} {
		tale := Read(newEngine, start, data, stderr)
		if tale.falls {
			t.Error("the totals fell")
		}
		if tale.session != "" && stream.ID(tale.session) == "" {
			t.Errorf("session %q", tale.session)
		}
		for _, p := range tale.progress {
			checkLine(t, p)
		}
		v := tale.End(agent.Exit{Code: code})
		checkLine(t, strings.ReplaceAll(v.Code, "_", "")) // short and printable
		if v.Class == agent.OK && (code != 0 || v.Code != "" || v.Message != "") {
			t.Errorf("exit %d makes %+v", code, v)
		}
		if v.Class != agent.OK && (v.Code == "" || v.Message == "") {
			t.Errorf("a failure without a name or a reason: %+v", v)
		}
		if v := newEngine(start).End(agent.Exit{}); v.Class == agent.OK {
			t.Error("a stream that said nothing is a success")
		}
	}
}

func checkLine(t *testing.T, s string) {
	t.Helper()
	if utf8.RuneCountInString(s) > maxProgress || strings.ContainsFunc(s, unicode.IsControl) || !utf8.ValidString(s) {
		t.Errorf("no short line: %q", s)
	}
}

// Mangle feeds an engine every sample with each value of each line replaced by
// values of other types, which a fuzzer finds too rarely.
func Mangle(t *testing.T, newEngine New) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{"null", "1e400", "[null]", `{"a":null}`, "true", `"\u001b]0;x\u0007"`} {
			check(t, newEngine, replaceValues(data, value), "", 0)
		}
	}
}

// replaceValues makes one line out of each colon of each line: the value behind
// it is cut out up to the next comma or bracket, and value put in its place.
func replaceValues(data []byte, value string) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(data) {
		for i, c := range line {
			if c != ':' {
				continue
			}
			end := valueEnd(line[i+1:])
			out.Write(line[:i+1])
			out.WriteString(value)
			out.Write(line[i+1+end:])
		}
	}
	return out.Bytes()
}

// valueEnd returns how long the JSON value is that b begins with.
func valueEnd(b []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth < 0 {
				return i
			}
		case c == ',' && depth == 0:
			return i
		}
	}
	return len(b)
}

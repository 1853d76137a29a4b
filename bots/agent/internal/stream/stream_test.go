package stream

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"iterion/bots/agent"
)

func TestDecodePassesOverValuesOfTheWrongType(t *testing.T) {
	var got struct {
		Type  string
		Names []string
		In    Count
		Out   Count
		Deep  struct{ Name string }
	}
	line := ` {"type":"x","names":[1,"b",null],"in":"many","out":7.0,"deep":[],"deep":{"name":null,"more":1},"zzz":{}} `
	if !Decode([]byte(line), &got) {
		t.Fatal("the line was not taken for JSON")
	}
	if got.Type != "x" || len(got.Names) != 3 || got.Names[1] != "b" || got.In != 0 || got.Out != 7 {
		t.Errorf("got %+v", got)
	}
	for _, bad := range []string{"", "  ", "hello", `{"type":"x"`, `{"type":"x"} {`, `["a"]`, `"text"`, `null`, strings.Repeat(`{"a":`, 20_000)} {
		if Decode([]byte(bad), &got) {
			t.Errorf("%.40q passes for a JSON object", bad)
		}
	}
}

func TestCountTakesNumbersAlone(t *testing.T) {
	for text, want := range map[string]Count{
		"12": 12, "1.9": 1, "1e3": 1000, "-1": 0, "1e300": 0, `"12"`: 0, "null": 0, "{}": 0, "true": 0,
	} {
		var c Count
		if err := json.Unmarshal([]byte(text), &c); err != nil || c != want {
			t.Errorf("%s: %d, %v, want %d", text, c, err, want)
		}
	}
}

func TestIDIsNothingThatPassesForAFlag(t *testing.T) {
	for _, good := range []string{"ses_1", "0b8e7c1e-7f0d-4a52-9d3c-111111111111", "S"} {
		if ID(good) != good {
			t.Errorf("%q is refused", good)
		}
	}
	for _, bad := range []string{"", "-s", "--yolo", "a b", "a/b", "a\n", "é", strings.Repeat("a", 129)} {
		if got := ID(bad); got != "" {
			t.Errorf("%q passes", bad)
		}
	}
}

func TestLineIsOneShortLineWithoutControls(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		" a\n\n b\tc ":                         "a b c",
		"\x1b]52;c;aGk=\x07x":                  "x",
		"\x1b[91m\x1b[1mError: \x1b[0mno\x1bn": "Error: non",
		"a\u202eb\u2066c":                      "abc",
		"a\u009bb\x00c":                        "abc",
		"bad \xff\xfe":                         "bad ��",
		strings.Repeat("é", 160):               strings.Repeat("é", 160),
		strings.Repeat("é", 161):               strings.Repeat("é", 159) + "…",
		strings.Repeat("ab ", 9999):            strings.Repeat("ab ", 52) + "ab…",
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%.30q) = %q, want %q", in, got, want)
		}
	}
}

func TestTextKeepsLines(t *testing.T) {
	if got, want := Text("a\r\n\tb\x1b[1m\n\n c \n\n"), "a\n\tb\n\n c"; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	if got, want := Indent("a\n\nb"), "  a\n\n  b"; got != want {
		t.Errorf("Indent = %q, want %q", got, want)
	}
	if got := FirstLine("\n \n  two \nthree"); got != "two" {
		t.Errorf("FirstLine = %q", got)
	}
}

func TestCallTellsWhatMatters(t *testing.T) {
	for _, tc := range []struct{ tool, args, want string }{
		{"Bash", `{"description":"List","command":"ls -l\n  /tmp"}`, "Bash: ls -l /tmp"},
		{"Read", `{"file_path":"/a/b.go","limit":3}`, "Read: /a/b.go"},
		{"exec", `{"command":["go","test"]}`, "exec: go test"},
		{"odd", `{"command":[1],"x":{"y":2}}`, `odd: {"command":[1],"x":{"y":2}}`},
		{"none", `{}`, "none"}, {"none", `null`, "none"}, {"none", ``, "none"},
		{"text", `"free"`, "text: free"}, {"list", `[1,2]`, "list: [1,2]"}, {"words", `["go","vet"]`, "words: go vet"},
		{"", `{"path":"a"}`, "tool: a"},
		{"a\x1bb\n", `{"path":"\u001b[2J\r\nc"}`, "ab: c"},
	} {
		if got := Call(tc.tool, json.RawMessage(tc.args)); got != tc.want {
			t.Errorf("Call(%q, %s) = %q, want %q", tc.tool, tc.args, got, tc.want)
		}
	}
	if got := Call("Write", json.RawMessage(`{"text":"`+strings.Repeat("x", 1<<20)+`"}`)); len(got) > 4*maxLine {
		t.Errorf("a call of %d bytes", len(got))
	}
}

func TestPiecesComeOutInWholeLines(t *testing.T) {
	var p Pieces
	var got []string
	for _, piece := range []string{"He", "llo\nWor", "ld", "\n\n", "!"} {
		if s := p.Add(piece); s != "" {
			got = append(got, s)
		}
	}
	got = append(got, p.Rest(), p.Rest())
	if want := "Hello|World\n|!|"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
	var out int
	for range 100 {
		out += len(p.Add(strings.Repeat("x", 1000)))
	}
	if len(p.held) > maxPiece || out+len(p.held) != 100_000 {
		t.Errorf("%d bytes held back, %d came out", len(p.held), out)
	}
}

func TestNotesKeepTheEnd(t *testing.T) {
	var n Notes
	if n.Last() != "" || len(n.Latest()) != 0 {
		t.Error("something was said by nobody")
	}
	for i := range 1000 {
		n.Add([]byte(strings.Repeat("x", i*10+1)))
	}
	n.Add([]byte("the\x1b end\r"))
	n.Add([]byte("  "))
	lines := n.Latest()
	if n.Last() != "the end" || lines[0] != "the end" || len(lines) != firstNotes+maxNotes || len(lines[1]) != maxNote ||
		lines[len(lines)-1] != "x" {
		t.Errorf("last %q, %d lines kept, the one before has %d bytes", n.Last(), len(lines), len(lines[1]))
	}
}

func TestCallsAreBounded(t *testing.T) {
	c := Calls{}
	for i := range 1000 {
		c.Open(strings.Repeat("i", i+1), "call")
	}
	if len(c) > maxCalls {
		t.Errorf("%d calls are remembered", len(c))
	}
	if c.Open("i", "again") || c.Close("i") != "call" || c.Close("i") != "tool" || !c.Open("", "x") {
		t.Error("calls are mixed up")
	}
}

// counted is what a run has reached.
type counted struct {
	usd     float64
	in, out int64
}

func read(m *Meter) counted {
	var s agent.Said
	m.Tell(&s)
	return counted{s.CostUSD, s.TokensIn, s.TokensOut}
}

func TestMeterOfASessionThatIsGoneOnWith(t *testing.T) {
	before := agent.Start{Session: "s", CostUSD: 1, TokensIn: 100, TokensOut: 10}
	for name, tc := range map[string]struct {
		start   agent.Start
		session string
		figures []Use
		want    counted
	}{
		"a new session":               {agent.Start{CostUSD: 1, TokensIn: 100, TokensOut: 10}, "s", []Use{{5, 500, 50}}, counted{6, 600, 60}},
		"counts on":                   {before, "s", []Use{{1.5, 120, 12}, {2, 150, 15}}, counted{2, 150, 15}},
		"begins anew":                 {before, "s", []Use{{0.5, 20, 2}, {3, 300, 30}}, counted{4, 400, 40}},
		"begins anew, but dearer":     {before, "s", []Use{{1.5, 20, 2}}, counted{2.5, 120, 12}},
		"another session":             {before, "t", []Use{{5, 500, 50}}, counted{6, 600, 60}},
		"counts on and then nothing":  {before, "s", []Use{{1.5, 120, 12}, {}, {0.1, 1, 1}}, counted{1.5, 120, 12}},
		"nothing first":               {before, "s", []Use{{}, {1.5, 120, 12}}, counted{1.5, 120, 12}},
		"knows no cost":               {before, "s", []Use{{0, 120, 12}}, counted{1, 120, 12}},
		"figures that are none":       {before, "s", []Use{{math.NaN(), 1, 1}, {-1, 1, 1}, {math.Inf(1), 1, 1}, {1e9, 1, 1}}, counted{1, 100, 10}},
		"falls within a run, is anew": {agent.Start{}, "s", []Use{{2, 20, 2}, {1, 30, 1}}, counted{2, 30, 2}},
	} {
		m := NewMeter(tc.start)
		m.Session(tc.session)
		for _, u := range tc.figures {
			m.Reached(u)
		}
		if got := read(m); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}

func TestMeterAddsPartsAndNeverOverflows(t *testing.T) {
	m := NewMeter(agent.Start{Session: "s", CostUSD: 1, TokensIn: 100, TokensOut: 10})
	m.Spent(Use{0.5, 10, 1})
	m.Spent(Use{0.25, 1, 1})
	if got, want := read(m), (counted{1.75, 111, 12}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	last := read(m)
	for range 20_000 {
		m.Spent(Use{1e5, 9e14, 9e14})
		now := read(m)
		if now.usd < last.usd || now.in < last.in || now.out < last.out {
			t.Fatalf("fell from %+v to %+v", last, now)
		}
		last = now
	}
}

func TestTailKeepsTheEndOfATextInPieces(t *testing.T) {
	var tail Tail
	for range 100_000 {
		tail.Add("éabcdefghi")
	}
	tail.Add("end")
	if got := tail.String(); len(got) > 2*maxTail || len(got) < maxTail/2 || !strings.HasSuffix(got, "hiend") || !utf8.ValidString(got) {
		t.Errorf("%d bytes kept", len(got))
	}
	if tail.Reset(); !tail.Empty() || tail.String() != "" {
		t.Error("something is left")
	}
}

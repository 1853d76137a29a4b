package jsonl

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func logFile(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func contentOf(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAppendMakesAPrivateLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	at, err := Append(path, []byte(`{"seq":0}`), Options{})
	if err != nil || at != (Appended{Offset: 0, End: 10}) {
		t.Fatalf("got %+v, %v", at, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestI4_TornTailNeverSwallowsTheNextRecord(t *testing.T) {
	path := logFile(t, `{"seq":0}`+"\n"+`{"seq":1,"te`)
	at, err := Append(path, []byte(`{"seq":1}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !at.Torn || at.Offset != 23 || at.End != 33 {
		t.Errorf("got %+v", at)
	}
	want := `{"seq":0}` + "\n" + `{"seq":1,"te` + "\n" + `{"seq":1}` + "\n"
	if got := contentOf(t, path); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	at, err = Append(path, []byte(`{"seq":2}`), Options{})
	if err != nil || at.Torn {
		t.Errorf("the torn line was reported twice: %+v, %v", at, err)
	}
}

func TestCloseTailReportsOnce(t *testing.T) {
	path := logFile(t, `{"seq":0}`)
	for i, want := range []bool{true, false} {
		if torn, err := CloseTail(path, Options{}); err != nil || torn != want {
			t.Errorf("call %d: got %v, %v, want %v", i, torn, err, want)
		}
	}
	if seq, _, err := LastRecord(path); err != nil || seq != 0 {
		t.Errorf("a record that lacked only its newline: got seq %d, %v", seq, err)
	}
	if torn, err := CloseTail(filepath.Join(t.TempDir(), "none"), Options{}); torn || err != nil {
		t.Errorf("a missing log: %v, %v", torn, err)
	}
}

func TestAppendRefusesTwoLines(t *testing.T) {
	path := logFile(t, "")
	if _, err := Append(path, []byte("{}\n{}"), Options{}); err == nil {
		t.Error("took two lines for one record")
	}
	if got := contentOf(t, path); got != "" {
		t.Errorf("wrote %q", got)
	}
}

func TestAppendReportsAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	if _, err := Append("/dev/full", []byte("{}"), Options{NoFsync: true}); err == nil {
		t.Error("a full disk took the record")
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, o := range []Options{{}, {NoFsync: true}} {
		b.Run(fmt.Sprintf("nofsync=%v", o.NoFsync), func(b *testing.B) {
			path := logFile(b, "")
			for b.Loop() {
				if _, err := Append(path, []byte(`{"seq":1}`), o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestSeveralLinesAreAppendedAtOnceBehindATornTail(t *testing.T) {
	path := logFile(t, `{"seq":0}`+"\n"+`{"se`)
	at, err := AppendAll(path, [][]byte{[]byte(`{"seq":1}`), []byte(`{"seq":2}`)}, Options{})
	if err != nil || at != (Appended{Offset: 15, End: 35, Torn: true}) {
		t.Fatalf("got %+v, %v", at, err)
	}
	want := `{"seq":0}` + "\n" + `{"se` + "\n" + `{"seq":1}` + "\n" + `{"seq":2}` + "\n"
	if got := contentOf(t, path); got != want {
		t.Errorf("log is %q, want %q", got, want)
	}
	if _, err := AppendAll(path, nil, Options{}); err != nil || contentOf(t, path) != want {
		t.Errorf("no lines: %v, log is %q", err, contentOf(t, path))
	}
	if _, err := AppendAll(path, [][]byte{[]byte("{}"), []byte("{\n}")}, Options{}); err == nil || contentOf(t, path) != want {
		t.Errorf("a record of two lines: %v, log is %q", err, contentOf(t, path))
	}
}

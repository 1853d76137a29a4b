package jsonl

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// record makes a line of about n bytes.
func record(seq int64, n int) string {
	return fmt.Sprintf(`{"seq":%d,"pad":"%s"}`, seq, strings.Repeat("x", n)) + "\n"
}

func allSeqs(t testing.TB, path string, from int64) []int64 {
	t.Helper()
	var out []int64
	_, err := Scan(path, from, func(l Line) error {
		if seq, ok := l.Seq(); ok {
			out = append(out, seq)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestScanPassesOverWhatIsNoRecord(t *testing.T) {
	path := logFile(t, record(0, 1)+"garbage\n\n{\"seq\":\n[1]\n"+record(1, 1)+`{"seq":2}`)
	if got := allSeqs(t, path, 0); !slices.Equal(got, []int64{0, 1}) {
		t.Errorf("got %v", got)
	}
}

func TestMissingLogIsEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	if seq, _, err := LastRecord(path); seq != -1 || err != nil {
		t.Errorf("LastRecord: %d, %v", seq, err)
	}
	if off, err := SeekAfter(path, 7, 0); off != 0 || err != nil {
		t.Errorf("SeekAfter: %d, %v", off, err)
	}
	if got := allSeqs(t, path, 0); len(got) > 0 {
		t.Errorf("Scan: %v", got)
	}
}

func TestI4_LastRecordSurvivesTornTailsAndOverlongLines(t *testing.T) {
	long := `{"seq":9,"pad":"` + strings.Repeat("x", MaxLine) + `"}` + "\n"
	for _, c := range []struct {
		name, tail string
	}{
		{"clean", ""},
		{"torn", `{"seq":9`},
		{"whole but for the newline", `{"seq":9}`},
		{"garbage line", "not json\n"},
		{"record without seq", "{}\n"},
		{"torn after garbage", "\n\nx\n{"},
		{"over-long line", long},
		{"blocks of garbage", strings.Repeat("y", 5*block) + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := logFile(t, record(0, 10)+record(1, 3*block)+c.tail)
			if seq, _, err := LastRecord(path); err != nil || seq != 1 {
				t.Errorf("got %d, %v, want 1", seq, err)
			}
		})
	}
}

func TestBackwardIsScanReversed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", strings.Repeat("b", block-1), strings.Repeat("c", block), strings.Repeat("d", 3*block)}), 0, 8).Draw(t, "lines")
		torn := rapid.SampledFrom([]string{"", "t", strings.Repeat("t", block+1)}).Draw(t, "torn")
		var buf bytes.Buffer
		for _, l := range lines {
			buf.WriteString(l + "\n")
		}
		buf.WriteString(torn)
		f := bytes.NewReader(buf.Bytes())
		var forward, back []string
		if _, err := scan(f, 0, func(l Line) error {
			forward = append(forward, fmt.Sprint(l.Offset, l.End, string(l.Data)))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := backward(f, f.Size(), func(l Line) error {
			back = append(back, fmt.Sprint(l.Offset, l.End, string(l.Data)))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(back)
		if !slices.Equal(forward, back) || len(forward) != len(lines) {
			t.Fatalf("forward %d lines, backward %d, want %d", len(forward), len(back), len(lines))
		}
	})
}

func TestSeekAfterFindsEveryPlaceWhateverTheHint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var buf bytes.Buffer
		var seqs []int64
		seq := int64(-1)
		for range rapid.IntRange(0, 60).Draw(t, "lines") {
			if rapid.IntRange(0, 5).Draw(t, "garbage") == 0 {
				buf.WriteString("torn{\n")
				continue
			}
			seq += int64(rapid.IntRange(1, 3).Draw(t, "step"))
			seqs = append(seqs, seq)
			buf.WriteString(record(seq, rapid.IntRange(0, 3000).Draw(t, "pad")))
		}
		after := int64(rapid.IntRange(-1, int(seq)+2).Draw(t, "after"))
		hint := int64(rapid.IntRange(0, buf.Len()+10).Draw(t, "hint"))
		f := bytes.NewReader(buf.Bytes())
		off, err := seekAfter(f, f.Size(), after, hint)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		if _, err := scan(f, off, func(l Line) error {
			if s, ok := l.Seq(); ok && s > after {
				got = append(got, s)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		var want []int64
		for _, s := range seqs {
			if s > after {
				want = append(want, s)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("after %d hint %d: got %v, want %v", after, hint, got, want)
		}
	})
}

func TestSeekAfterReadsLittleOfALongLog(t *testing.T) {
	var buf bytes.Buffer
	for seq := range int64(50_000) {
		buf.WriteString(record(seq, 100))
	}
	for _, after := range []int64{0, 17_000, 49_990, 60_000} {
		f := &counting{r: bytes.NewReader(buf.Bytes())}
		if _, err := seekAfter(f, int64(buf.Len()), after, 0); err != nil {
			t.Fatal(err)
		}
		if f.read > int64(buf.Len()/4) {
			t.Errorf("after %d: read %d of %d bytes", after, f.read, buf.Len())
		}
	}
}

type counting struct {
	r    *bytes.Reader
	read int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	c.read += int64(n)
	return n, err
}

func FuzzReadersAgree(f *testing.F) {
	f.Add([]byte("{\"seq\":0}\n{\"seq\":1}\n{\"se"))
	f.Add([]byte("\n\n\x00\n{\"seq\":5}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		seqs := allSeqs(t, path, 0)
		want := int64(-1)
		if len(seqs) > 0 {
			want = seqs[len(seqs)-1]
		}
		if last, _, err := LastRecord(path); err != nil || last != want {
			t.Errorf("LastRecord %d, %v; Scan ends with %d", last, err, want)
		}
	})
}

func BenchmarkLastRecord(b *testing.B) {
	for _, n := range []int64{100, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var buf strings.Builder
			for seq := range n {
				buf.WriteString(record(seq, 150))
			}
			path := logFile(b, buf.String())
			for b.Loop() {
				if _, _, err := LastRecord(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

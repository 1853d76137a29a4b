package supervise

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkPump measures how fast output gets from a pipe into the log, whole and
// past its limit, with and without secrets to look for; and how fast the disk
// takes the same bytes without a pipe.
func BenchmarkPump(b *testing.B) {
	secrets := newRedactor([]string{"canary-key-of-the-bot", "another-secret-of-some-length"})
	for name, c := range map[string]struct {
		limit int64
		hide  *redactor
	}{
		"whole":           {1 << 40, newRedactor(nil)},
		"whole, secrets":  {1 << 40, secrets},
		"beyond, secrets": {1 << 20, secrets},
	} {
		b.Run(name, func(b *testing.B) {
			log, err := openLog(filepath.Join(b.TempDir(), "log"), c.limit, func() {})
			must(b, err)
			from, to, err := pipe()
			must(b, err)
			active := &activity{}
			p := &pump{from: from, into: log, hide: c.hide.fresh(), busy: active.touch}
			p.start()
			chunk := bytes.Repeat([]byte("some words of a bot that talks a lot\n"), 1<<20/37)
			b.SetBytes(int64(len(chunk)))
			for b.Loop() {
				_, err := to.Write(chunk)
				must(b, err)
			}
			to.Close()
			<-p.done
			must(b, log.Close())
		})
	}
	b.Run("disk alone", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "log"))
		must(b, err)
		defer f.Close()
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		b.SetBytes(int64(len(chunk)))
		for b.Loop() {
			_, err := f.Write(chunk)
			must(b, err)
		}
	})
}

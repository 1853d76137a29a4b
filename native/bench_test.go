package native

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/board"
)

// BenchmarkFloor is what the syncs of one verb cost by themselves: a staged
// file, the log, the folder.
func BenchmarkFloor(b *testing.B) {
	dir := b.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	for n := 0; b.Loop(); n++ {
		path := filepath.Join(dir, fmt.Sprint(n))
		if err := atomicfile.Write(path, make([]byte, 600), 0o600, atomicfile.Options{}); err != nil {
			b.Fatal(err)
		}
		if _, err := log.Write(make([]byte, 200)); err != nil {
			b.Fatal(err)
		}
		if err := log.Sync(); err != nil {
			b.Fatal(err)
		}
		if err := os.Rename(path, filepath.Join(dir, "card")); err != nil {
			b.Fatal(err)
		}
		if err := atomicfile.SyncDir(dir, atomicfile.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVerbs is to be read against BenchmarkFloor of the same run; "cold"
// opens the store each time, as a command does.
func BenchmarkVerbs(b *testing.B) {
	for _, size := range []int{10, 2000} {
		l := newStoreDir(b)
		card := fill(b, l, size)
		for _, o := range []Options{{}, {NoFsync: true}} {
			benchVerbs(b, l, card, o, fmt.Sprintf("cards=%d/nofsync=%v", size, o.NoFsync))
		}
	}
}

func fill(b *testing.B, l Layout, n int) (last board.Issue) {
	s := openStore(b, l, Options{NoFsync: true})
	for i := range n {
		last = mustCreate(b, s, fmt.Sprint("card ", i), "")
	}
	return last
}

func benchVerbs(b *testing.B, l Layout, card board.Issue, o Options, name string) {
	by := board.Cause{}
	columns := []string{board.StateReady, board.StateBacklog}
	for verb, do := range map[string]func(s *Store, n int) error{
		"create": func(s *Store, n int) error {
			_, err := s.Create(b.Context(), board.Issue{Title: "new"}, by)
			return err
		},
		"move": func(s *Store, n int) error {
			_, err := s.Move(b.Context(), card.ID, columns[n%2], by)
			return err
		},
		"claim+release": func(s *Store, n int) error {
			i, err := s.Claim(b.Context(), card.ID, "bench", time.Minute, by)
			if err == nil {
				_, err = s.Release(b.Context(), card.ID, i.Fence(), by)
			}
			return err
		},
		"get": func(s *Store, n int) error {
			_, err := s.Get(b.Context(), card.ID)
			return err
		},
		"list": func(s *Store, n int) error {
			_, err := s.List(b.Context(), board.Query{Limit: 10})
			return err
		},
	} {
		b.Run(name+"/"+verb+"/warm", func(b *testing.B) {
			s := openStore(b, l, o)
			for n := 0; b.Loop(); n++ {
				if err := do(s, n); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/"+verb+"/cold", func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				s, err := Open(l, o)
				if err == nil {
					err = do(s, n)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

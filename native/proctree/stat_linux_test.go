package proctree

import "testing"

func TestParseStat(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		dead bool
		ok   bool
	}{
		"plain":                     {"7 (sh) S 10 20 30 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 1", false, true},
		"name with brackets":        {"7 (a) S 1) S 10 20 30 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 1", false, true},
		"zombie":                    {"7 (sh) Z 10 20 30 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 1", true, true},
		"leader ended, threads run": {"7 (sh) Z 10 20 30 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 4711 1", false, true},
		"short":                     {"7 (sh) S 10", false, false},
		"garbage":                   {"", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := parseStat(7, []byte(c.line))
			if (err == nil) != c.ok {
				t.Fatalf("error is %v", err)
			}
			want := Process{PID: 7, Parent: 10, Group: 20, Session: 30, Start: 4711, Dead: c.dead}
			if c.ok && p != want {
				t.Errorf("got %+v, want %+v", p, want)
			}
		})
	}
}

package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// Of several who answer in one moment, one is told that it was heard: the one whose
// answer the bot got.
func TestOneOfManyAnswersCountsAndIsTold(t *testing.T) {
	w := newWorld(t)
	w.bot("asker", "", `
if [ "$ITERION_RESUME" = 1 ]; then tr -d '\n "{}' <"$ITERION_ANSWERS" >>heard; echo >>heard; exit; fi
iterion report ask --question 'How many?' --field n:number
`)
	for round := range 3 {
		w.run("run", "asker")
		id := w.ok("runs", "list", "-q", "--status", "paused")
		said := make([]said, 5)
		var all sync.WaitGroup
		for n := range said {
			all.Go(func() { said[n] = w.run("runs", "answer", id, fmt.Sprint("n=", n)) })
		}
		all.Wait()
		w.eventually("the run has ended", func() bool {
			return strings.Contains(w.ok("runs", "show", id), "finished")
		})
		data, err := os.ReadFile(w.path("heard"))
		if err != nil {
			t.Fatal(err)
		}
		heard := strings.Fields(string(data))
		if len(heard) != round+1 {
			t.Fatalf("the bot went on %d times: %q", len(heard), heard)
		}
		for n, s := range said {
			want := 4
			if heard[round] == fmt.Sprint("n:", n) {
				want = 0
			}
			if s.code != want || strings.Contains(s.err, "does not go on") {
				t.Errorf("the bot heard %s; who answered %d exits with %d, want %d: %s", heard[round], n, s.code, want, s.err)
			}
		}
	}
}

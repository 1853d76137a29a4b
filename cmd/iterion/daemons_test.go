package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"iterion/daemon/control"
)

// Three daemons with workspace roots of their own work one store. The one that owns
// the store's singletons is killed in the middle: another takes its place, its cards
// are looked after, and every card has had exactly one run in the end.
func TestThreeDaemonsOnOneStoreAndOneOfThemKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED in short mode: it works 60 cards")
	}
	w := newWorld(t)
	const cards = 60
	count := w.path("count")
	for i := range cards {
		w.shell(fmt.Sprintf("card %d", i), "sleep 0.2; echo x >> "+count)
	}
	first := w.daemon()
	for _, name := range []string{"two", "three"} {
		w.write(name+".yaml", "workspace: {root: "+name+"}\n")
		w.start("daemon", name+".yaml")
	}
	w.eventually("some cards are done", func() bool { return w.lines(count) >= cards/4 })
	first.kill9()
	w.eventually("another daemon owns the singletons", func() bool {
		st, ok := w.status()
		return ok && st.Singleton && !strings.HasSuffix(st.WorkspaceRoot, "workspaces")
	})
	w.eventually("all cards are in review", func() bool { return w.inState("review") == cards })
	w.eventually("all claims are gone", func() bool {
		for _, is := range w.issues() {
			if is.Claim != "" {
				return false
			}
		}
		return true
	})
	w.settledButLost(cards)
	if n := w.lines(count); n != cards {
		t.Errorf("bots ran %d times for %d cards", n, cards)
	}
}

// status asks the store's daemon, if there is one.
func (w *world) status() (control.Status, bool) {
	w.t.Helper()
	s := w.run("daemon", "status", "--json")
	if s.code != 0 {
		return control.Status{}, false
	}
	var st control.Status
	if err := json.Unmarshal([]byte(s.out), &st); err != nil {
		w.t.Fatalf("%v\n%s", err, s.out)
	}
	return st, true
}

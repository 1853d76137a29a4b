package watchdog

import (
	"strings"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// opinion is what a person is told of the card, as one text.
func (w *world) opinion() string {
	w.Helper()
	o, ok, err := w.dog("one").Opinion(w.Context(), w.card())
	w.must(err)
	if !ok {
		return ""
	}
	return o.Verdict(time.Now()) + " | " + o.Remedy("4711")
}

func TestOpinionNamesTheRowTheFactsAndTheRemedy(t *testing.T) {
	for name, c := range map[string]struct {
		story func(w *world)
		want  string
	}{
		"unclaimed": {func(*world) {}, ""},
		"live": {func(w *world) { w.dies(run.Running); w.oracle.found.Live = true },
			"keep (live): its run is alive; run run-1 | iterion runs cancel run-1"},
		"finished": {func(w *world) { w.dies(run.Finished) },
			"complete (finished): its run finished; it goes to review; run run-1 | "},
		"off": {func(w *world) { w.dies(run.Finished); w.settings.Enabled = false },
			"switched off; it would say complete (finished): its run finished; it goes to review; run run-1 | " +
				"watchdog: {enabled: true} in the daemon's config, or iterion issue release --force 4711"},
		"a person's claim that lasts": {func(w *world) { w.claim(board.StateReady) },
			"release (none): no run is recorded for the claim; not before the claim ends at 2000-01-01T00:15:00Z | "},
		"a recovery that was left": {func(w *world) {
			w.settings.Enabled = false // it is done all the same
			_, err := w.mem.Claim(w.Context(), w.id, Prefix+"other", time.Second, board.Cause{})
			w.must(err)
			w.expire()
		}, "release (recovery): a watchdog is at it, or was and left it | "},
		"paused": {func(w *world) { w.dies(run.PausedHuman) }, "keep (paused): its run is paused; run run-1 | iterion runs show run-1"},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(w *world) {
				c.story(w)
				before, err := w.mem.Tip(w.Context())
				w.must(err)
				if got := w.opinion(); got != c.want && (c.want == "" || !strings.HasPrefix(got, c.want)) {
					t.Errorf("it says %q, want %q", got, c.want)
				}
				if after, _ := w.mem.Tip(w.Context()); after != before {
					t.Error("it wrote something")
				}
			})
		})
	}
}

// What a person is told before is what a sweep does then.
func TestOpinionIsWhatTheSweepDoes(t *testing.T) {
	for _, s := range []run.Status{run.Finished, run.Failed, run.FailedResumable, run.Cancelled, run.PausedHuman, "dreaming"} {
		in(t, func(w *world) {
			w.claim(board.StateInProgress)
			w.runs(s)
			o, _, err := w.dog("one").Opinion(w.Context(), w.card())
			w.must(err)
			w.expire()
			w.sweep()
			is := w.card()
			if kept := is.Claim != ""; kept != (o.Do == string(keep)) || !kept && is.State != o.To {
				t.Errorf("%s: it said %+v, and the card is in %s, claimed by %q", s, o, is.State, is.Claim)
			}
		})
	}
}

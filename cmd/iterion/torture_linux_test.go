package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// tortureDaemon is how long the daemon and its supervisors are being killed.
const tortureDaemon = 12 * time.Second

// victim is what each tortured bot does. It notes that it began and that it
// ended. It holds a lock of its card, and so does a child that escapes from its
// session: a run that begins while anything of an earlier one lives is noted too.
const victim = `
exec 9>>"$NOTES/$ITERION_ISSUE_IDENTIFIER.lock"
flock -n 9 || echo "$ITERION_RUN_ID" >>"$NOTES/overlaps"
echo "$ITERION_RUN_ID $ITERION_ISSUE_ID $ITERION_ATTEMPT" >>"$NOTES/begun"
(setsid sleep 30 >/dev/null 2>&1 &)
sleep 0.$(($$ % 8))
echo "$ITERION_RUN_ID" >>"$NOTES/ended"`

// Daemon and supervisors are killed at random instants, one, the other or both,
// again and again. Whatever the instants were: in the end every card is settled,
// no claim is left, no attempt was made twice, no two runs of a card overlapped
// and no process lives on. The check reads what the bots noted themselves.
func TestI3_I6_I10_TortureByKill(t *testing.T) {
	tt := newTorture(t, torment(t))
	for began := time.Now(); time.Since(began) < cmp.Or(*tortureFor, tortureDaemon); {
		tt.round()
	}
	tt.w.ok("daemon", tt.config, "--until-idle", "-q")
	tt.check()
	t.Logf("%d cards, %d runs, %d bots began, %d daemons and %d supervisors killed",
		tt.cards, len(tt.w.runs()), tt.w.lines(tt.notes("begun")), tt.daemons, tt.supervisors)
}

type torture struct {
	w      *world
	rand   *rand.Rand
	config string
	cards  int

	daemons, supervisors int
}

func newTorture(t *testing.T, r *rand.Rand) *torture {
	tt := &torture{w: newWorld(t), rand: r}
	tt.config = tt.w.path("torture.yaml")
	// Short waits, so that many attempts fit into the time.
	err := os.WriteFile(tt.config, []byte("agent: {max_concurrent: 6, max_attempts: 4, max_retry_backoff_ms: 50}\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(tt.notes(), 0o700); err != nil {
		t.Fatal(err)
	}
	return tt
}

func (tt *torture) notes(name ...string) string {
	return tt.w.path(append([]string{"notes"}, name...)...)
}

// round files some cards, lets a daemon work for a moment, and strikes.
func (tt *torture) round() {
	for n := tt.rand.IntN(4); n > 0 || tt.cards < 4; n-- {
		tt.cards++
		tt.w.shell(fmt.Sprintf("card %d", tt.cards), fmt.Sprintf("NOTES=%q\nexport NOTES%s", tt.notes(), victim))
	}
	d := tt.w.start("daemon", tt.config)
	defer d.kill9()
	for strikes := 1 + tt.rand.IntN(3); strikes > 0; strikes-- {
		time.Sleep(time.Duration(tt.rand.IntN(350)) * time.Millisecond)
		switch tt.rand.IntN(8) {
		case 0, 1, 2:
			tt.killSupervisors(1 + tt.rand.IntN(3))
		case 3: // both, as near to one instant as can be
			_ = d.cmd.Process.Kill()
			tt.killSupervisors(100)
		case 4:
			d.term()
		}
	}
	tt.daemons++
}

// killSupervisors kills at most so many of them.
func (tt *torture) killSupervisors(most int) {
	pids := tt.watchers()
	tt.rand.Shuffle(len(pids), func(i, j int) { pids[i], pids[j] = pids[j], pids[i] })
	for _, pid := range pids[:min(most, len(pids))] {
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			tt.supervisors++
		}
	}
}

// watchers are the pids of the supervisors of this world.
func (tt *torture) watchers() []int {
	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		line, _ := os.ReadFile(f)
		argv := bytes.Split(line, []byte{0})
		if len(argv) < 3 || string(argv[1]) != "supervise" || !bytes.HasPrefix(argv[2], []byte(tt.w.dir)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (tt *torture) check() {
	t := tt.w.t
	if left := tt.w.processes("HOME=" + tt.w.home); len(left) > 0 {
		t.Errorf("processes %v outlived their runs", left)
	}
	if over, err := os.ReadFile(tt.notes("overlaps")); err == nil {
		t.Errorf("runs that began while something of an earlier one of their card lived: %s", over)
	}
	var journal []any
	data, err := os.ReadFile(tt.w.path(".iterion", "dispatcher", "claims.json"))
	if err != nil || json.Unmarshal(data, &journal) != nil || len(journal) > 0 {
		t.Errorf("the claim journal holds %s, %v; want nothing", data, err)
	}
	records := tt.checkRuns()
	all := tt.w.issues()
	if len(all) != tt.cards {
		t.Errorf("%d cards, want %d", len(all), tt.cards)
	}
	for _, is := range all {
		tt.checkCard(is, records[is.ID])
	}
}

// checkRuns compares the records with the notes and returns them by card.
func (tt *torture) checkRuns() map[string][]run.Record {
	t, byCard, byID := tt.w.t, map[string][]run.Record{}, map[string]run.Record{}
	for _, r := range tt.w.runs() {
		byCard[r.Source.IssueID] = append(byCard[r.Source.IssueID], r)
		byID[r.ID] = r
		if !r.Status.Final() {
			t.Errorf("run %s of %s is %s", r.ID, r.Source.IssueID, r.Status)
		}
	}
	began, attempts := map[string]bool{}, map[string]string{}
	for _, line := range tt.lines("begun") {
		f := strings.Fields(line)
		id, attempt := f[0], f[1]+" "+f[2]
		if began[id] {
			t.Errorf("the bot of run %s was started twice", id)
		}
		if other, ok := attempts[attempt]; ok {
			t.Errorf("attempt %s was made by the runs %s and %s", attempt, other, id)
		}
		began[id], attempts[attempt] = true, id
		if r, ok := byID[id]; !ok || r.FailureCode == run.CodeSupervisorLost {
			t.Errorf("the bot of run %s began, its record says %q %q", id, r.Status, r.FailureCode)
		}
	}
	ended := map[string]bool{}
	for _, id := range tt.lines("ended") {
		ended[id] = true
	}
	for id, r := range byID {
		if r.Status == run.Finished && !ended[id] {
			t.Errorf("run %s is finished, its bot never came to its end", id)
		}
	}
	return byCard
}

func (tt *torture) checkCard(is board.Issue, runs []run.Record) {
	t, finished := tt.w.t, 0
	for _, r := range runs {
		if r.Status == run.Finished {
			finished++
		}
	}
	gaveUp := is.State == board.StateBlocked && is.GaveUp != nil && finished == 0
	done := is.State == board.StateReview && finished == 1
	if is.Claim != "" || !gaveUp && !done {
		t.Errorf("%q is in %s with %d of %d runs finished, claim %q; %s",
			is.Title, is.State, finished, len(runs), is.Claim, tt.w.run("why", is.ID).out)
	}
}

func (tt *torture) lines(name string) []string {
	data, _ := os.ReadFile(tt.notes(name))
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

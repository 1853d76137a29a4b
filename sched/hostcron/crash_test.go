package hostcron

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"iterion/sched/gate"
)

// TestMain lets the test binary play the tick that is killed.
func TestMain(m *testing.M) {
	if os.Getenv("HOSTCRON_ROLE") == "tick" {
		playTick()
	}
	os.Exit(m.Run())
}

type died struct{ step string }

// diesAt runs fn and dies at its n-th step; step is empty when there is no such.
func (l *lab) diesAt(t *testing.T, n int, fn func() error) (step string) {
	t.Helper()
	defer func() {
		l.fault = nil
		if d, ok := recover().(died); ok {
			step = d.step
		}
	}()
	l.fault = func(step string) {
		if n--; n == 0 {
			panic(died{step})
		}
	}
	if err := fn(); err != nil {
		t.Fatal(err)
	}
	return ""
}

// A decider dies at each of its steps; the tick after it makes up for the record.
func TestI7_ADeadDecidersSlotGetsItsRecordFromTheNextTick(t *testing.T) {
	want := map[string]string{
		"pend":   "missed 10T02:01, launch_failed 10T02:02",
		"missed": "missed 10T02:01, launch_failed 10T02:02",
		"gate":   "missed 10T02:01, fired 10T02:02",
		"record": "missed 10T02:01, fired 10T02:02",
		"clear":  "missed 10T02:01, fired 10T02:02",
	}
	tried := map[string]bool{}
	for n := 1; ; n++ {
		l := newLab(t, row("often", "* * * * *", ""))
		l.tickAt(t, "often", at(10, 2, 0))
		l.now = at(10, 2, 2)
		step := l.diesAt(t, n, func() error { _, err := l.clock("often").Tick(t.Context()); return err })
		if step == "" {
			break
		}
		tried[step] = true
		l.end(t)
		// Once more at each of the steps of the one that makes up for it.
		for m := range 3 {
			l.now = at(10, 2, 2).Add(10 * time.Second)
			l.diesAt(t, m+1, func() error { _, err := l.clock("often").Tick(t.Context()); return err })
		}
		out := l.tickAt(t, "often", at(10, 2, 3))
		l.wantTold(t, "fired 10T02:00, "+want[step]+", fired 10T02:03")
		if len(out.Settled) != 0 || out.Record.Decision != gate.Fired {
			t.Errorf("after %s: %+v", step, out)
		}
		l.checkOnce(t)
	}
	for step := range want {
		if !tried[step] {
			t.Errorf("nobody died at %s", step)
		}
	}
}

func TestSettledRecordsSayWhatHappened(t *testing.T) {
	for step, want := range map[string]string{
		"pend": "the tick that decided this slot died before the launch, begun at 2031-03-10T02:00:00Z",
		"gate": "the tick that decided this slot died after the launch, begun at 2031-03-10T02:00:00Z",
	} {
		l := newLab(t, row("a", "0 2 * * *", ""))
		n := map[string]int{"pend": 1, "gate": 2}[step]
		if got := l.diesAt(t, n, func() error { _, err := l.clock("a").Tick(t.Context()); return err }); got != step {
			t.Fatalf("died at %s", got)
		}
		l.end(t)
		l.now = at(10, 2, 30)
		out := l.tick(t, "a")
		if len(out.Settled) != 1 || out.Settled[0].Reason != want || out.Settled[0].RunID == "" || out.Settled[0].BotID != "b" || !out.Settled[0].At.Equal(l.now) {
			t.Errorf("%s: %+v", step, out.Settled)
		}
		s, _, err := ReadState(l.Paths, "a")
		if err != nil || len(s.Pending) != 0 || s.Decision != out.Settled[0].Decision {
			t.Errorf("%s: state %+v, %v", step, s, err)
		}
		l.checkOnce(t)
	}
}

func TestARunByHandThatDiedIsSettledToo(t *testing.T) {
	for n, want := range map[int]string{1: "launch_failed by hand", 2: "fired by hand", 3: "fired by hand"} {
		l := newLab(t, row("a", "0 2 * * *", ""))
		l.now = at(10, 1, 0)
		l.diesAt(t, n, func() error { _, err := l.clock("a").RunNow(t.Context()); return err })
		l.now = l.now.Add(time.Minute)
		l.tick(t, "a")
		l.wantTold(t, want)
		l.checkOnce(t)
	}
	// One that made no run is known by its instant.
	l := newLab(t, row("a", "0 2 * * *", ""))
	l.now = at(10, 1, 0)
	for n := range 2 {
		l.diesAt(t, 3+n, func() error { _, err := l.clock("a").RunNow(t.Context()); return err })
		l.now = l.now.Add(time.Minute)
	}
	l.tick(t, "a")
	l.wantTold(t, "fired by hand, skipped_overlap by hand")
}

// A store that cannot be looked at is no proof that nothing was launched in it.
func TestADecisionThatCannotBeToldStaysPending(t *testing.T) {
	l := newLab(t, row("often", "* * * * *", ""))
	l.diesAt(t, 2, func() error { _, err := l.clock("often").Tick(t.Context()); return err })
	l.end(t)
	l.runExists = errors.New("the disk is away")
	for n := range 3 {
		l.tickAt(t, "often", at(10, 2, n+1))
	}
	l.wantTold(t, "fired 10T02:01, fired 10T02:02, fired 10T02:03")
	l.runExists = nil
	l.tickAt(t, "often", at(10, 2, 4))
	l.wantTold(t, "fired 10T02:01, fired 10T02:02, fired 10T02:03, fired 10T02:00, fired 10T02:04")
	l.checkOnce(t)
}

// The store of a row may be another one by the time that its dead tick is found.
func TestADeadDecidersRunIsLookedForInItsOwnStore(t *testing.T) {
	l := newLab(t, row("often", "* * * * *", ""))
	l.diesAt(t, 2, func() error { _, err := l.clock("often").Tick(t.Context()); return err })
	l.end(t)
	c := l.clock("often")
	prepare := c.Prepare
	c.Prepare = func(ctx context.Context, s Schedule) (Job, error) {
		job, err := prepare(ctx, s)
		job.StoreDir = t.TempDir()
		return job, err
	}
	l.now = at(10, 2, 1)
	c.Now = func() time.Time { return l.now }
	if _, err := c.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.wantTold(t, "fired 10T02:00, fired 10T02:01")
}

// playTick is one tick of a process of its own, which dies at the step that it is
// told, or by the hand of its parent.
func playTick() {
	minute, _ := strconv.Atoi(os.Getenv("HOSTCRON_MINUTE"))
	step, _ := strconv.Atoi(os.Getenv("HOSTCRON_STEP"))
	l := &lab{Paths: Paths{Manifest: os.Getenv("HOSTCRON_MANIFEST")}, store: os.Getenv("HOSTCRON_STORE"),
		host: time.UTC, now: at(10, 0, minute)}
	l.fault = func(string) {
		if step--; step == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	fmt.Println("ready")
	if _, err := l.clock("often").Tick(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// tickProcess starts a tick and returns once it is about to begin.
func (l *lab) tickProcess(t *testing.T, minute, step int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOSTCRON_ROLE=tick", "HOSTCRON_MANIFEST="+l.Manifest, "HOSTCRON_STORE="+l.store,
		fmt.Sprint("HOSTCRON_MINUTE=", minute), fmt.Sprint("HOSTCRON_STEP=", step))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	ready := make([]byte, len("ready\n"))
	if _, err := out.Read(ready); err != nil || string(ready) != "ready\n" {
		t.Fatalf("the tick says %q, %v", ready, err)
	}
	return cmd
}

// Half of the ticks die at one of their steps, the others whenever it happens. On a
// busy machine they are fewer than two hundred, unless ITERION_TEST_KILLS is set.
func TestI7_TicksKilledAtRandomInstants(t *testing.T) {
	const (
		most   = 200
		budget = 15 * time.Second
	)
	atLeast := 20
	if os.Getenv("ITERION_TEST_KILLS") != "" {
		atLeast = most
	}
	l := newLab(t, row("often", "* * * * *", "    overlap: allow\n    guard: 'true'\n"))
	kills, took := 0, 5*time.Millisecond
	for began := time.Now(); kills < most && (kills < atLeast || time.Since(began) < budget); kills++ {
		if kills%2 == 0 {
			_ = l.tickProcess(t, kills, 1+kills/2%5).Wait()
			continue
		}
		cmd := l.tickProcess(t, kills, 0)
		up := time.Now()
		time.Sleep(rand.N(took))
		_ = cmd.Process.Kill()
		if cmd.Wait() == nil { // it was faster
			took = max(time.Millisecond, time.Since(up))
		} else {
			took = min(took+took/4, 50*time.Millisecond)
		}
	}
	l.tickAt(t, "often", at(10, 0, kills))

	slots, missed, dead := map[string]int{}, 0, map[string]int{}
	for _, r := range l.records(t) {
		switch {
		case r.Decision == gate.Missed:
			few, _, _ := strings.Cut(r.Reason, " ")
			n, err := strconv.Atoi(few)
			if err != nil {
				t.Fatal(r.Reason)
			}
			missed += n
		default:
			slots[r.Slot.String()]++
		}
		if strings.Contains(r.Reason, "died") {
			dead[string(r.Decision)]++
		}
	}
	for slot, n := range slots {
		if n != 1 {
			t.Errorf("slot %s has %d records", slot, n)
		}
	}
	if n := len(slots) + missed; n != kills+1 {
		t.Errorf("%d slots decided and %d missed of %d", len(slots), missed, kills+1)
	}
	l.checkOnce(t)
	if dead["fired"] == 0 || dead["launch_failed"] == 0 || len(slots) < kills/4 {
		t.Errorf("settled: %v, decided: %d: the kills hit one kind of instant alone", dead, len(slots))
	}
	t.Logf("%d kills: %d slots decided, %d missed, settled %v", kills, len(slots), missed, dead)
}

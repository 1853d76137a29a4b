package local

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"iterion/sched/trigger"
)

const (
	envDir   = "ITERION_TEST_TRIGGER_DIR"
	envFeed  = "ITERION_TEST_TRIGGER_FEED"
	envFault = "ITERION_TEST_TRIGGER_FAULT" // number of the fault point at which the writer kills itself
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envDir); dir != "" {
		if err := writer(dir, os.Getenv(envFeed)); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writer works on an outbox and an inbox until it is killed, and says what it was
// told is durable.
func writer(dir, feed string) error {
	points, _ := strconv.Atoi(os.Getenv(envFault))
	o := Options{NoFsync: true, CompactAt: 8 << 10, Fault: func(string) {
		if points--; points == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}}
	box, in := outboxIn(dir, o), inboxIn(dir, o)
	ctx, now := context.Background(), time.Now()
	at, ok, err := box.Cursor(ctx, feed)
	if err != nil {
		return err
	}
	if !ok {
		at = -1
	}
	for n := at + 1; ; n++ {
		row := testRow(int(n))
		row.ID = fmt.Sprintf("%s:%d|s", feed, n)
		if err := box.Add(ctx, feed, n, []trigger.Effect{row}); err != nil {
			return err
		}
		fmt.Println("added", n)
		if _, err := in.Put(ctx, trigger.Event{ID: row.ID, Kind: "k"}); err != nil {
			return err
		}
		fmt.Println("put", n)
		rows, err := box.Claim(ctx, now, 2)
		if err != nil {
			return err
		}
		for _, e := range rows {
			if err := box.Finish(ctx, e.ID, e.ClaimID, "launched", now); err != nil {
				return err
			}
			fmt.Println("finished", e.ID)
		}
		if n%50 == 0 {
			tip, err := in.Tip(ctx)
			if err == nil {
				err = in.Trim(ctx, tip-20, func(string) bool { return true })
			}
			if err != nil {
				return err
			}
		}
	}
}

// said is what one writer was told, until it died.
type said struct {
	added, put int
	finished   map[string]bool
	err        string
}

func listen(r io.Reader, begun func()) said {
	s := said{added: -1, put: -1, finished: map[string]bool{}}
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if begun != nil {
			begun()
			begun = nil
		}
		verb, of, _ := strings.Cut(lines.Text(), " ")
		n, _ := strconv.Atoi(of)
		switch verb {
		case "added":
			s.added = n
		case "put":
			s.put = n
		case "finished":
			s.finished[of] = true
		default:
			s.err += lines.Text() + "\n"
		}
	}
	return s
}

// Two writers are killed over and over, at random instants and at chosen ones.
func TestI4_KilledWritersLoseNothingThatWasAcknowledged(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 6
	}
	dir := t.TempDir()
	finished := map[string]bool{}
	var inbox [2]int
	for round := range rounds {
		var wg sync.WaitGroup
		var heard [2]said
		for w := range heard {
			cmd := exec.Command(os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), envDir+"="+dir, fmt.Sprintf("%s=feed-%d", envFeed, w))
			if rand.IntN(2) == 0 {
				cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", envFault, 1+rand.IntN(60)))
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			wg.Add(1)
			go func() {
				defer wg.Done()
				heard[w] = listen(out, func() {
					time.AfterFunc(time.Duration(rand.IntN(60))*time.Millisecond, func() { _ = cmd.Process.Kill() })
				})
				_ = cmd.Wait()
			}()
		}
		wg.Wait()
		for w, s := range heard {
			if s.err != "" {
				t.Fatalf("round %d, writer %d: %s", round, w, s.err)
			}
			for id := range s.finished {
				finished[id] = true
			}
			inbox[w] = max(inbox[w], s.put)
			survived(t, round, dir, fmt.Sprint("feed-", w), s)
		}
		if t.Failed() {
			return
		}
	}
	box := outboxIn(dir, quick)
	for id := range finished {
		if e, err := box.Get(t.Context(), id); err != nil || e.State != trigger.Done {
			t.Errorf("%s was finished and is %s, %v", id, e.State, err)
		}
	}
	if len(finished) < rounds {
		t.Errorf("%d rows were finished in %d rounds: the test looks at nothing", len(finished), rounds)
	}
	checkInbox(t, dir, inbox)
}

// survived checks that a feed's cursor is where its writer was told, or beyond, and
// that each row up to it is there.
func survived(t *testing.T, round int, dir, feed string, s said) {
	t.Helper()
	box := outboxIn(dir, quick)
	at, ok, err := box.Cursor(t.Context(), feed)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		at = -1
	}
	if int(at) < s.added {
		t.Errorf("round %d: cursor of %s is %d, acknowledged %d", round, feed, at, s.added)
	}
	for n := range at + 1 {
		if _, err := box.Get(t.Context(), fmt.Sprintf("%s:%d|s", feed, n)); err != nil {
			t.Errorf("round %d: cursor at %d, and row %d: %v", round, at, n, err)
		}
	}
}

// checkInbox checks that the inbox is numbered without gap, apart from what was
// trimmed, and ends behind what was acknowledged last.
func checkInbox(t *testing.T, dir string, put [2]int) {
	t.Helper()
	got, err := inboxIn(dir, quick).Events(t.Context(), -1, 0)
	if err != nil || len(got) < 2 {
		t.Fatalf("%d events in the inbox, %v", len(got), err)
	}
	newest := map[string]int{}
	for n, p := range got {
		if n > 0 && p.Seq != got[n-1].Seq+1 {
			t.Errorf("entry %d follows %d", p.Seq, got[n-1].Seq)
		}
		feed, at, _ := strings.Cut(strings.TrimSuffix(p.Event.ID, "|s"), ":")
		newest[feed], _ = strconv.Atoi(at)
	}
	for w, n := range put {
		if at, there := newest[fmt.Sprint("feed-", w)]; there && at < n {
			t.Errorf("newest event of writer %d is %d, acknowledged %d", w, at, n)
		}
	}
}

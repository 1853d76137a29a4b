package native

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"iterion/native/board"
)

// TestMain lets the test binary play the other processes.
func TestMain(m *testing.M) {
	l := Layout{Root: os.Getenv("NATIVE_STORE")}
	switch os.Getenv("NATIVE_ROLE") {
	case "create":
		playRole(createMany(l))
	case "storm":
		playRole(storm(l))
	case "claim":
		playRole(claimOne(l, os.Getenv("NATIVE_ARG")))
	case "sleepy":
		playRole(sleepUnderLock(l))
	default:
		os.Exit(m.Run())
	}
}

func playRole(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

func process(role string, l Layout, arg string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NATIVE_ROLE="+role, "NATIVE_STORE="+l.Root, "NATIVE_ARG="+arg)
	return cmd
}

const (
	creators       = 8
	cardsPerWriter = 200
)

func createMany(l Layout) error {
	s, err := Open(l, Options{})
	if err != nil {
		return err
	}
	for n := range cardsPerWriter {
		if _, err := s.Create(context.Background(), board.Issue{Title: fmt.Sprint("card ", n)}, board.Cause{}); err != nil {
			return err
		}
	}
	return nil
}

func TestI4_EightProcessesCreateTwoHundredCardsEach(t *testing.T) {
	l := newStoreDir(t)
	var all sync.WaitGroup
	for range creators {
		all.Go(func() {
			if out, err := process("create", l, "").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	checkWhole(t, l)
	s := openStore(t, l, Options{})
	list, err := s.List(t.Context(), board.Query{})
	if err != nil || len(list.Issues) != creators*cardsPerWriter {
		t.Errorf("%d cards, %v, want %d", len(list.Issues), err, creators*cardsPerWriter)
	}
	events, err := s.Events(t.Context(), -1, 0)
	if err != nil || len(events) != creators*cardsPerWriter {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for _, e := range events {
		if e.Type != board.EventIssueCreated {
			t.Fatalf("event %d is %s", e.Seq, e.Type)
		}
	}
}

// storm counts up the priority of cards of its own, says so on stdout, and
// deletes, unblocks and claims in between, until it is killed.
func storm(l Layout) error {
	s, err := Open(l, Options{NoFsync: true, LockWait: time.Minute})
	if err != nil {
		return err
	}
	ctx, by := context.Background(), board.Cause{}
	for {
		card, err := s.Create(ctx, board.Issue{Title: "mine"}, by)
		if err != nil {
			return err
		}
		fmt.Println(card.ID, 0)
		for n := 1; n <= 5; n++ {
			if _, err := s.Update(ctx, card.ID, board.Patch{Priority: &n}, by); err != nil {
				return err
			}
			fmt.Println(card.ID, n)
		}
		if err := stormAround(ctx, s); err != nil {
			return err
		}
	}
}

func stormAround(ctx context.Context, s *Store) error {
	by := board.Cause{}
	blocker, err := s.Create(ctx, board.Issue{Title: "blocker"}, by)
	if err != nil {
		return err
	}
	for range 2 {
		draft := board.Issue{Title: "dependent", State: board.StateWaitingDeps, Blockers: []string{blocker.ID}}
		if _, err := s.Create(ctx, draft, by); err != nil {
			return err
		}
	}
	i, err := s.Claim(ctx, blocker.ID, "storm", time.Minute, by)
	if err != nil {
		return err
	}
	if err := s.Renew(ctx, i.ID, i.Fence(), time.Hour); err != nil {
		return err
	}
	if _, err := s.SetState(ctx, i.ID, i.Fence(), board.Filing{To: board.StateDone}, by); err != nil {
		return err
	}
	return s.Delete(ctx, i.ID, true, by)
}

func TestI4_NothingIsLostOverRandomKills(t *testing.T) {
	l := newStoreDir(t)
	acked := map[string]int{}
	for round := range 15 {
		said := make(chan map[string]int)
		var kids []*exec.Cmd
		for range 3 {
			kids = append(kids, startStorm(t, l, said))
		}
		time.Sleep(time.Duration(20+rand.N(120)) * time.Millisecond) // the instant of death is the point
		for _, k := range kids {
			k.Process.Kill()
		}
		for range kids {
			for id, n := range <-said {
				acked[id] = n
			}
		}
		for _, k := range kids {
			k.Wait()
		}
		checkWhole(t, l)
		if t.Failed() {
			t.Fatalf("after round %d", round)
		}
	}
	if len(acked) == 0 {
		t.Fatal("the storms did nothing")
	}
	checkAcked(t, l, acked)
}

// startStorm sends on said, once the process is dead, what it had acknowledged.
func startStorm(t *testing.T, l Layout, said chan<- map[string]int) *exec.Cmd {
	t.Helper()
	cmd := process("storm", l, "")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		acked := map[string]int{}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			id, num, _ := strings.Cut(lines.Text(), " ")
			n, err := strconv.Atoi(num)
			if err != nil {
				t.Errorf("a storm said %q", lines.Text())
				continue
			}
			acked[id] = n
		}
		said <- acked
	}()
	return cmd
}

// checkAcked: an acknowledged write stands; at most the one after it, which was
// on its way when its process was killed, may stand as well.
func checkAcked(t *testing.T, l Layout, acked map[string]int) {
	t.Helper()
	s := openStore(t, l, Options{})
	for id, n := range acked {
		i, err := s.Get(t.Context(), id)
		if err != nil || i.Priority < n || i.Priority > n+1 {
			t.Errorf("card %s was acknowledged at %d and is at %d, %v", id, n, i.Priority, err)
		}
	}
}

func claimOne(l Layout, id string) error {
	s, err := Open(l, Options{NoFsync: true, LockWait: time.Minute})
	if err != nil {
		return err
	}
	_, err = s.Claim(context.Background(), id, fmt.Sprint("pid", os.Getpid()), time.Minute, board.Cause{})
	return err
}

func TestI1_ProcessesRaceOneCardAndOneWins(t *testing.T) {
	l := newStoreDir(t)
	s := openStore(t, l, Options{NoFsync: true})
	for range 5 {
		card := mustCreate(t, s, "wanted", "")
		var all sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for range 8 {
			all.Go(func() {
				out, err := process("claim", l, card.ID).CombinedOutput()
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won++
				case !strings.Contains(string(out), "is claimed by"):
					t.Errorf("a loser said %s", out)
				}
			})
		}
		all.Wait()
		if won != 1 {
			t.Fatalf("%d of 8 won", won)
		}
	}
	checkWhole(t, l)
}

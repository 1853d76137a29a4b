package native

import (
	"context"
	"fmt"
	"os"
	"os/exec"
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

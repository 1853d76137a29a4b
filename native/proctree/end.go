package proctree

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Patience is how long End waits at each step.
type Patience struct {
	Grace time.Duration // after TERM, before KILL; 0 means no TERM at all
	Proof time.Duration // after the first KILL, before giving up
}

// SurvivorsError names what could not be proven gone.
type SurvivorsError struct{ Left []Process }

func (e *SurvivorsError) Error() string {
	pids := make([]string, len(e.Left))
	for i, p := range e.Left {
		pids[i] = fmt.Sprint(p.PID)
	}
	return "processes still alive after SIGKILL: " + strings.Join(pids, ", ")
}

// End ends all that find returns and proves it: nil means that two looks in a row
// found nothing. Processes born meanwhile are included. When ctx ends the grace is
// cut short and KILL follows at once; the proof is still sought.
//
// Each process group of the tree, but for the caller's own, is signalled as a
// whole as well: the kernel does that in one step, which a member that forks
// without pause cannot outrun.
func End(ctx context.Context, find Find, p Patience) error {
	left, err := ask(ctx, find, p.Grace)
	if err != nil || len(left) == 0 {
		return err
	}
	return insist(find, p.Proof)
}

// ask sends TERM once to each process and waits for all to go.
func ask(ctx context.Context, find Find, grace time.Duration) ([]Process, error) {
	asked := map[Process]bool{}
	deadline := time.Now().Add(grace)
	for pause := newPause(); ; pause.wait(ctx) {
		left, err := settled(find)
		if err != nil || len(left) == 0 || ctx.Err() != nil || !time.Now().Before(deadline) {
			return left, err
		}
		for _, m := range left {
			m.Parent, m.Group, m.Session = 0, 0, 0 // may change; pid and start do not
			if !asked[m] {
				asked[m] = true
				_ = signal(m, unix.SIGTERM)
				_ = signal(m, unix.SIGCONT) // a stopped process would not hear it
			}
		}
	}
}

// insist sends KILL until nothing is left or proof is over.
func insist(find Find, proof time.Duration) error {
	deadline := time.Now().Add(proof)
	for pause := newPause(); ; pause.wait(context.Background()) {
		left, err := settled(find)
		if err != nil || len(left) == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return &SurvivorsError{Left: left}
		}
		killGroups(left)
		for _, m := range left {
			_ = signal(m, unix.SIGKILL)
		}
	}
}

// settled returns what find finds, and nothing only if it found nothing twice: a
// process may slip through one look by being handed to a new parent meanwhile.
func settled(find Find) ([]Process, error) {
	left, err := find()
	if err != nil || len(left) > 0 {
		return left, err
	}
	return find()
}

func killGroups(left []Process) {
	own := unix.Getpgrp()
	done := map[int]bool{own: true, 0: true, 1: true}
	for _, m := range left {
		if !done[m.Group] && memberNow(m) {
			done[m.Group] = true
			_ = unix.Kill(-m.Group, unix.SIGKILL)
		}
	}
}

// memberNow checks that m still is what it was: as long as it lives in its group,
// the group's number cannot have passed to strangers.
func memberNow(m Process) bool {
	now, err := look(m.PID)
	return err == nil && now.Start == m.Start && now.Group == m.Group && m.PID != os.Getpid()
}

// pause grows from one to fifty milliseconds, so that a quick end is seen quickly
// and a slow one costs little.
type pause struct{ d time.Duration }

func newPause() *pause { return &pause{d: time.Millisecond} }

func (p *pause) wait(ctx context.Context) {
	t := time.NewTimer(p.d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	p.d = min(p.d*2, 50*time.Millisecond)
}

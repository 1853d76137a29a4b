package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"iterion/native"
	"iterion/native/board"
)

// boardWriter does random verbs on a board until it is killed or its standard
// input ends, and prints a line for each: what came of it, the token that it
// signed the write with, and the card.
//
//	did TOKEN ID [PRIORITY]   it is written
//	may TOKEN ID              it is, or there was nothing to write
//	no  TOKEN ID ERROR        it was refused
//	bad TOKEN ID ERROR        it went wrong in a way that must not be
type boardWriter struct {
	s    *native.Store
	rand *rand.Rand
	name string
	n    int
	id   string
	old  []stale
}

// stale is a claim that is over.
type stale struct {
	id    string
	fence board.Fence
}

// vocabulary is small, so that writers meet on the same labels.
var vocabulary = []string{"a", "b", "c", "d", "e", "f"}

// crowd is how many cards the writers keep about.
const crowd = 60

// writeBoard plays the writer: STORE NAME SEED.
func writeBoard(args []string) error {
	seed, err := strconv.ParseUint(args[2], 10, 64)
	if err != nil {
		return err
	}
	go func() { // nobody reads what it says any more
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	r := rand.New(rand.NewPCG(seed, 2))
	s, err := native.Open(native.Layout{Root: args[0]}, native.Options{NoFsync: r.IntN(4) > 0, LockWait: time.Minute})
	if err != nil {
		return err
	}
	w := &boardWriter{s: s, rand: r, name: args[1]}
	for {
		w.step(context.Background())
	}
}

func (w *boardWriter) by() board.Cause { return board.Cause{Actor: fmt.Sprintf("%s.%d", w.name, w.n)} }

// say prints the line of the verb and counts it.
func (w *boardWriter) say(sure bool, err error, more ...any) {
	word := "may"
	switch {
	case err == nil && sure:
		word = "did"
	case errors.Is(err, board.ErrConflict), errors.Is(err, board.ErrTransitionRejected), errors.Is(err, board.ErrInvalid),
		errors.Is(err, board.ErrNotFound), errors.Is(err, board.ErrExists), isClaimed(err):
		word = "no"
	case err != nil:
		word = "bad"
	}
	if err != nil {
		more = []any{strings.ReplaceAll(err.Error(), "\n", " ")}
	}
	fmt.Println(append([]any{word, w.by().Actor, w.id}, more...)...)
	w.n++
}

func isClaimed(err error) bool {
	var held *board.ClaimedError
	return errors.As(err, &held)
}

func (w *boardWriter) pick(of []string) string { return of[w.rand.IntN(len(of))] }

// ids returns the ids of the cards that lie there now.
func (w *boardWriter) ids() []string {
	files, _ := filepath.Glob(filepath.Join(w.s.Layout().Issues(), "*.json"))
	for n, f := range files {
		files[n] = strings.ReplaceAll(strings.TrimSuffix(filepath.Base(f), ".json"), "__", ":")
	}
	return files
}

func (w *boardWriter) step(ctx context.Context) {
	ids := w.ids()
	if len(ids) < crowd/3 {
		w.create(ctx, ids)
		return
	}
	w.id = w.pick(ids)
	switch n := w.rand.IntN(20); {
	case n < 3 && len(ids) < crowd:
		w.create(ctx, ids)
	case n < 3:
		w.say(true, w.s.Delete(ctx, w.id, w.rand.IntN(4) == 0, w.by()))
	case n < 8:
		w.refile(ctx, ids)
	case n < 13:
		w.edit(ctx, ids)
	case n < 18:
		w.hold(ctx)
	default:
		w.relabel(ctx)
	}
}

func (w *boardWriter) create(ctx context.Context, ids []string) {
	draft := board.Issue{Title: "x", State: w.pick(board.DefaultSchema().StateNames()), Labels: []string{w.pick(vocabulary)}}
	if len(ids) > 0 && w.rand.IntN(2) == 0 {
		draft.State, draft.Blockers = board.StateWaitingDeps, []string{w.pick(ids), w.pick(ids)}
	}
	i, err := w.s.Create(ctx, draft, w.by())
	w.id = "none"
	if err == nil {
		w.id = i.ID
	}
	w.say(true, err)
}

// refile moves cards, to done most of all, where others wait for it.
func (w *boardWriter) refile(ctx context.Context, ids []string) {
	to := w.pick(append(board.DefaultSchema().StateNames(), board.StateDone, board.StateDone, board.StateWaitingDeps))
	switch w.rand.IntN(4) {
	case 0:
		_, err := w.s.MoveAll(ctx, []string{w.id, w.pick(ids), w.pick(ids)}, to, w.by())
		w.say(false, err)
	case 1:
		_, err := w.s.Reopen(ctx, w.id, board.StateBacklog, w.by())
		w.say(true, err)
	default:
		_, err := w.s.Move(ctx, w.id, to, w.by())
		w.say(false, err)
	}
}

func (w *boardWriter) edit(ctx context.Context, ids []string) {
	priority := 1 + w.rand.IntN(1<<40)
	var p board.Patch
	sure := false
	var more []any
	switch w.rand.IntN(6) {
	case 0:
		p.AddLabels = []string{w.pick(vocabulary)}
	case 1:
		p.RemoveLabels = []string{w.pick(vocabulary)}
	case 2:
		p.AddBlockers = []string{w.pick(ids)}
	case 3:
		p.RemoveBlockers = []string{w.pick(ids)}
	case 4:
		_, err := w.s.Comment(ctx, w.id, w.name, "a remark", w.by())
		w.say(true, err)
		return
	default:
		p.Priority, sure, more = &priority, true, []any{priority}
	}
	_, err := w.s.Update(ctx, w.id, p, w.by())
	w.say(sure, err, more...)
}

// hold claims a card, works on it as its holder, and mostly gives it back. Now
// and then somebody takes a card away by force, or a holder of the past tries to
// write, which must be refused.
func (w *boardWriter) hold(ctx context.Context) {
	switch n := w.rand.IntN(6); {
	case n == 0:
		_, err := w.s.ForceRelease(ctx, w.id, w.by())
		w.say(false, err)
		return
	case n == 1 && len(w.old) > 0:
		w.trespass(ctx, w.old[w.rand.IntN(len(w.old))])
		return
	}
	i, err := w.s.Claim(ctx, w.id, w.by().Actor, time.Minute, w.by())
	w.say(true, err)
	if err != nil {
		return
	}
	f := i.Fence()
	for range w.rand.IntN(3) {
		w.work(ctx, f)
	}
	if w.rand.IntN(4) > 0 {
		_, err = w.s.Release(ctx, w.id, f, w.by())
		w.say(true, err)
		w.old = append(w.old, stale{w.id, f})
	}
}

func (w *boardWriter) work(ctx context.Context, f board.Fence) {
	var err error
	sure := true
	switch w.rand.IntN(5) {
	case 0:
		err, sure = w.s.Renew(ctx, w.id, f, time.Hour), false
	case 1:
		_, err = w.s.SetLastRun(ctx, w.id, f, board.RunRef{RunID: w.by().Actor}, w.by())
	case 2:
		_, err = w.s.SetGaveUp(ctx, w.id, f, board.GaveUp{Launch: true, Reason: "x"}, w.by())
	case 3:
		_, err = w.s.SetAwaitingInput(ctx, w.id, f, w.rand.IntN(2) == 0, w.by())
		sure = false
	default:
		_, err = w.s.SetState(ctx, w.id, f, board.Filing{To: w.pick(board.DefaultSchema().StateNames())}, w.by())
		sure = false
	}
	w.say(sure, err)
}

// trespass writes under a claim that is over.
func (w *boardWriter) trespass(ctx context.Context, was stale) {
	w.id = was.id
	_, err := w.s.SetLastRun(ctx, was.id, was.fence, board.RunRef{RunID: w.by().Actor}, w.by())
	if err == nil {
		err = errors.New("a claim that is over was let write")
	}
	w.say(true, err)
}

func (w *boardWriter) relabel(ctx context.Context) {
	from, to := w.pick(vocabulary), w.pick(vocabulary)
	e := board.RenameLabel(from, to)
	switch w.rand.IntN(3) {
	case 0:
		e = board.MergeLabel(from, to)
	case 1:
		e = board.DeleteLabel(from)
	}
	w.id = "label"
	_, err := w.s.Relabel(ctx, e, w.by())
	w.say(true, err)
}

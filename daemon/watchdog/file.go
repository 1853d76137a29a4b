package watchdog

import (
	"context"
	"fmt"
	"time"

	"iterion/native/board"
)

// file carries out a decision under the recovery claim that is carries, the release
// last. After an error the claim is left: a later sweep releases it.
func (p pass) file(ctx context.Context, is board.Issue, d decision, found Finding) error {
	steps := []func(context.Context, board.Issue, decision, Finding) (board.Issue, error){
		p.stamp, p.move, p.flags,
	}
	if d.do == release {
		steps = nil
	}
	f := is.Fence()
	for _, step := range steps {
		next, err := step(ctx, is, d, found)
		if err != nil {
			return err
		}
		is = next
	}
	if _, err := p.o.Board.Release(ctx, is.ID, f, by(board.ReasonWatchdog)); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}

// stamp notes the run that the decision rests on, where the holder had not come to
// that.
func (p pass) stamp(ctx context.Context, is board.Issue, _ decision, found Finding) (board.Issue, error) {
	if is.LastRunID == found.RunID {
		return is, nil
	}
	ref := board.RunRef{RunID: found.RunID, Workdir: found.Record.Workdir, At: time.Now().UTC()}
	return p.o.Board.SetLastRun(ctx, is.ID, is.Fence(), ref, by(board.ReasonWatchdog))
}

func (p pass) move(ctx context.Context, is board.Issue, d decision, _ Finding) (board.Issue, error) {
	if d.to == "" || d.to == is.State {
		return is, nil
	}
	return p.o.Board.SetState(ctx, is.ID, is.Fence(), board.Filing{From: is.State, To: d.to}, by(d.reason))
}

func (p pass) flags(ctx context.Context, is board.Issue, d decision, found Finding) (_ board.Issue, err error) {
	if is.AwaitingInput {
		if is, err = p.o.Board.SetAwaitingInput(ctx, is.ID, is.Fence(), false, by(board.ReasonWatchdog)); err != nil {
			return is, err
		}
	}
	if d.do != fail && d.do != giveUp {
		return is, nil
	}
	return p.o.Board.SetGaveUp(ctx, is.ID, is.Fence(), board.GaveUp{
		RunID: is.LastRunID, State: is.State, Attempts: found.Attempts, Reason: d.why,
	}, by(d.reason))
}

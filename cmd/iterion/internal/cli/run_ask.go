package cli

import (
	"context"
	"errors"

	"iterion/native/run"
)

// canAsk reports whether a person sits there who can be asked something.
func (f *Factory) canAsk() bool {
	return f.IO.InTTY && f.IO.ErrTTY && !f.Global.JSON && !f.Global.Quiet
}

// answerHere asks the person what the run asks, and lets it go on. Whoever leaves
// the questions leaves the run paused.
func (f *Factory) answerHere(ctx context.Context, runs *run.Dir, rec run.Record, o goOnOptions) (goesOn bool, err error) {
	in, err := runs.Pending(rec)
	if err != nil {
		return false, err
	}
	values, err := f.askPerson(ctx, in)
	if err != nil {
		if ctx.Err() == nil {
			f.Talk("%v", err)
		}
		return false, nil
	}
	rec, err = runs.Answer(ctx, rec.ID, values, f.Actor())
	var not *run.NotWaitingError
	if errors.As(err, &not) {
		f.Talk("somebody else answered run %s meanwhile", run.Short(not.ID))
		return true, nil
	}
	if err != nil {
		return false, answerTrouble(in, err)
	}
	if _, err := f.letGoOn(ctx, runs, rec, o); err != nil {
		return false, err
	}
	return true, f.awaitStart(ctx, runs, rec)
}

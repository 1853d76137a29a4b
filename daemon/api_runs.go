package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

// Run returns one run's record.
func (d service) Run(_ context.Context, ref string) (run.Record, error) { return d.record(ref) }

func (d service) record(ref string) (run.Record, error) {
	id, err := d.runs.Resolve(ref)
	if err != nil {
		return run.Record{}, err
	}
	return d.runs.Get(id)
}

// CancelRun asks a run's supervisor to end it, in a person's name.
func (d service) CancelRun(ctx context.Context, ref string, by control.By) (run.Record, error) {
	rec, err := d.record(ref)
	if err != nil {
		return rec, err
	}
	if rec.Status.Final() {
		return rec, fmt.Errorf("%w: run %s has ended already, it is %s", board.ErrConflict, rec.ID, rec.Status)
	}
	if err := d.disp.CancelRun(ctx, rec.ID, by.By); err != nil {
		return rec, err
	}
	return d.runs.Get(rec.ID)
}

// PauseRun asks a run's supervisor to stop its bot and keep the run, in a person's
// name.
func (d service) PauseRun(ctx context.Context, ref string, by control.By) (run.Record, error) {
	rec, err := d.record(ref)
	if err != nil {
		return rec, err
	}
	if rec.Status != run.Queued && rec.Status != run.Running {
		return rec, fmt.Errorf("%w: run %s is %s, there is nothing to pause", board.ErrConflict, rec.ID, rec.Status)
	}
	if err := d.disp.PauseRun(ctx, rec.ID, by.By); err != nil {
		return rec, asConflict(err)
	}
	return d.runs.Get(rec.ID)
}

// ResumeRun lets a paused or failed_resumable run go on, see control.API.
func (d service) ResumeRun(ctx context.Context, ref string, by control.By) (run.Record, error) {
	rec, err := d.record(ref)
	if err != nil {
		return rec, err
	}
	if err := d.disp.ResumeRun(ctx, rec.ID, by.By); err != nil {
		return rec, asConflict(err)
	}
	return d.runs.Get(rec.ID)
}

// asConflict classes the refusals of the dispatcher's run verbs.
func asConflict(err error) error {
	if errors.Is(err, dispatch.ErrUnanswered) || errors.Is(err, dispatch.ErrNotResumable) {
		return fmt.Errorf("%w: %w", board.ErrConflict, err)
	}
	return err
}

// Log returns a piece of a run's log, see control.API.
func (d service) Log(_ context.Context, ref string, offset, limit int64) (control.LogChunk, error) {
	rec, err := d.record(ref) // before the log: a run that has ended writes no more
	if err != nil {
		return control.LogChunk{}, err
	}
	f, err := os.Open(d.runs.LogPath(rec.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return control.LogChunk{End: rec.Status.Final()}, nil
	}
	if err != nil {
		return control.LogChunk{}, fmt.Errorf("open log of run %s: %w", rec.ID, err)
	}
	defer f.Close()
	chunk, err := readChunk(f, offset, limit)
	chunk.End = rec.Status.Final() && chunk.Next == chunk.Size
	return chunk, err
}

func readChunk(f *os.File, offset, limit int64) (control.LogChunk, error) {
	info, err := f.Stat()
	if err != nil {
		return control.LogChunk{}, fmt.Errorf("read log: %w", err)
	}
	size := info.Size()
	if offset < 0 {
		offset = max(0, size+offset)
	}
	offset = min(offset, size)
	if limit <= 0 || limit > control.LogMax {
		limit = control.LogMax
	}
	data := make([]byte, min(limit, size-offset))
	n, err := f.ReadAt(data, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return control.LogChunk{}, fmt.Errorf("read log: %w", err)
	}
	return control.LogChunk{Offset: offset, Next: offset + int64(n), Size: size, Data: data[:n]}, nil
}

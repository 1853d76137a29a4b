package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/filelock"
)

// Interaction is one question of a bot's and, once it is given, its answer.
type Interaction struct {
	ID         string         `json:"id"`
	RunID      string         `json:"run_id"`
	Questions  Form           `json:"questions"`
	AskedAt    time.Time      `json:"asked_at"`
	Answers    map[string]any `json:"answers,omitempty"` // as Form.Fit returns them
	AnsweredAt time.Time      `json:"answered_at,omitzero"`
	AnsweredBy string         `json:"answered_by,omitempty"`
}

// Answered reports whether the answer was given.
func (in Interaction) Answered() bool { return !in.AnsweredAt.IsZero() }

// NotWaitingError refuses an answer to a run that waits for none.
type NotWaitingError struct {
	ID     string
	Status Status
}

func (e *NotWaitingError) Error() string {
	if e.Status.Final() {
		return fmt.Sprintf("run %s has ended (%s) and waits for no answer", Short(e.ID), e.Status)
	}
	return fmt.Sprintf("run %s is %s and waits for no answer", Short(e.ID), e.Status)
}

// Ask stores a question durably, before the record says that the run waits for
// it. The caller holds the run's lock.
func (d *Dir) Ask(runID string, in Interaction) error {
	if !plainName(in.ID) {
		return fmt.Errorf("ask in run %s: interaction %q: %w", runID, in.ID, ErrInvalid)
	}
	dir := d.file(runID, interactionsDir)
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		err = atomicfile.SyncDir(d.Path(runID), d.durable())
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("ask in run %s: %w", runID, err)
	}
	in.RunID = runID
	return d.saveInteraction(in)
}

func (d *Dir) saveInteraction(in Interaction) error {
	data, err := json.MarshalIndent(in, "", "  ")
	if err == nil {
		err = atomicfile.WriteFile(d.interactionFile(in.RunID, in.ID), data, 0o600, d.durable())
	}
	if err != nil {
		return fmt.Errorf("save question %s of run %s: %w", in.ID, in.RunID, err)
	}
	return nil
}

func (d *Dir) interactionFile(runID, id string) string {
	return filepath.Join(d.file(runID, interactionsDir), id+".json")
}

// Interaction returns a question and its answer. ErrNotFound when the run has
// none of that id.
func (d *Dir) Interaction(runID, id string) (Interaction, error) {
	var in Interaction
	if !plainName(runID) || !plainName(id) {
		return in, fmt.Errorf("question %q of run %q: %w", id, runID, ErrNotFound)
	}
	data, err := os.ReadFile(d.interactionFile(runID, id))
	if errors.Is(err, os.ErrNotExist) {
		return in, fmt.Errorf("question %s of run %s: %w", id, runID, ErrNotFound)
	}
	if err == nil {
		err = decodeExact(data, &in)
	}
	if err != nil {
		return in, fmt.Errorf("read question %s of run %s: %w", id, runID, err)
	}
	return in, nil
}

// Pending returns the question that a run waits for an answer to. A run that
// waits for none is a *NotWaitingError. Where the question's own file is missing,
// the record's copy of it counts.
func (d *Dir) Pending(rec Record) (Interaction, error) {
	if rec.Status != PausedHuman || rec.Awaiting == nil {
		return Interaction{}, &NotWaitingError{ID: rec.ID, Status: rec.Status}
	}
	in, err := d.Interaction(rec.ID, rec.Awaiting.InteractionID)
	if !errors.Is(err, ErrNotFound) {
		return in, err
	}
	form, perr := ParseForm(rec.Awaiting.Questions)
	if perr != nil {
		return in, errors.Join(err, perr)
	}
	return Interaction{ID: rec.Awaiting.InteractionID, RunID: rec.ID, Questions: form, AskedAt: rec.UpdatedAt}, nil
}

// Answered reports whether a run that waits for a person has its answers and can
// go on.
func (d *Dir) Answered(rec Record) (bool, error) {
	var not *NotWaitingError
	in, err := d.Pending(rec)
	if errors.As(err, &not) {
		return false, nil
	}
	return err == nil && in.Answered(), err
}

// Answers returns the answers that a run has: those to the question that it waits
// on, else those that its bot was given last. nil: none.
func (d *Dir) Answers(rec Record) (map[string]any, error) {
	if rec.Status == PausedHuman {
		in, err := d.Pending(rec)
		return in.Answers, err
	}
	data, err := os.ReadFile(d.file(rec.ID, AnswersFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var answers map[string]any
	if err == nil {
		err = decodeExact(data, &answers)
	}
	if err != nil {
		return nil, fmt.Errorf("read answers of run %s: %w", rec.ID, err)
	}
	return answers, nil
}

// decodeExact leaves numbers as they were typed.
func decodeExact(data []byte, v any) error {
	exact := json.NewDecoder(bytes.NewReader(data))
	exact.UseNumber()
	err := exact.Decode(v)
	if _, end := exact.Token(); err == nil && end != io.EOF {
		err = errors.New("there is something behind its end")
	}
	return err
}

// Answer stores the answers to what a run asks and returns its record, which is
// as it was: the run waits until it is resumed. Answers that are given again
// before that replace the first. Errors: ErrNotFound, *UnreadableError,
// *NotWaitingError, *AnswerError, *filelock.HeldError.
func (d *Dir) Answer(ctx context.Context, runID string, values map[string]any, by string) (Record, error) {
	lock, err := d.lockPaused(ctx, runID)
	if err != nil {
		return Record{}, err
	}
	defer lock.Release()
	rec, err := d.Get(runID)
	if err != nil {
		return rec, err
	}
	in, err := d.Pending(rec)
	if err != nil {
		return rec, err
	}
	answers, err := in.Questions.Fit(values)
	if err != nil {
		return rec, err
	}
	return rec, d.record(in, answers, by)
}

// lockPaused takes the lock of a run that waits for a person. Without looking at
// the record first, a person would wait for the lock of a run that is at work.
func (d *Dir) lockPaused(ctx context.Context, runID string) (*filelock.Lock, error) {
	rec, err := d.Get(runID)
	if err != nil {
		return nil, err
	}
	if rec.Status != PausedHuman {
		return nil, &NotWaitingError{ID: runID, Status: rec.Status}
	}
	lock, err := d.Lock(ctx, runID)
	if err == nil {
		return lock, nil
	}
	var held *filelock.HeldError
	if rec, gerr := d.Get(runID); errors.As(err, &held) && gerr == nil && rec.Status != PausedHuman {
		return nil, &NotWaitingError{ID: runID, Status: rec.Status} // it was resumed meanwhile
	}
	return nil, fmt.Errorf("answer run %s: %w", runID, err)
}

// record writes the answers down in the order that the package comment tells.
func (d *Dir) record(in Interaction, answers map[string]any, by string) error {
	replaced := in.Answered()
	if replaced {
		in.Answers, in.AnsweredAt, in.AnsweredBy = nil, time.Time{}, ""
		if err := d.saveInteraction(in); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(answers, "", "  ")
	if err == nil {
		err = atomicfile.WriteFile(d.file(in.RunID, AnswersFile), data, 0o600, d.durable())
	}
	if err != nil {
		return fmt.Errorf("save answers of run %s: %w", in.RunID, err)
	}
	in.Answers, in.AnsweredAt, in.AnsweredBy = answers, time.Now().UTC(), by
	if err := d.Ask(in.RunID, in); err != nil {
		return err
	}
	return d.noteAnswer(in, replaced)
}

func (d *Dir) noteAnswer(in Interaction, replaced bool) error {
	j, err := d.Journal(in.RunID)
	if err != nil {
		return err
	}
	data := map[string]any{
		"interaction_id": in.ID, "by": in.AnsweredBy, "names": slices.Sorted(maps.Keys(in.Answers)),
	}
	if replaced {
		data["replaced"] = true
	}
	return j.Append(Event{Timestamp: in.AnsweredAt, Type: EventAnswered, Data: data}, true)
}

package supervise

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"iterion/native/jsonl"
	"iterion/native/run"
)

// done writes the last record of this life of the run and the event that tells of
// it. The lock goes with the process. ask is what a run that waits for a person
// waits for.
func (s *supervisor) done(o run.Outcome, ask *question) error {
	if s.hide != nil {
		o.Error, o.Code = s.hide.clean(o.Error), s.hide.clean(o.Code)
	}
	if o.Status == run.PausedHuman {
		if err := s.putQuestion(*ask); err != nil {
			return err
		}
	}
	if err := s.rec.Become(o, time.Now()); err != nil {
		return err
	}
	if err := s.insist(s.saveResults); err != nil {
		return err
	}
	if err := s.heedCancel(); err != nil {
		return err
	}
	err := s.insist(s.tell)
	s.removeEmptyLog()
	return err
}

// putQuestion stores what the bot asks, before the record refers to it.
func (s *supervisor) putQuestion(q question) error {
	in := q.interaction(s.rec.ID)
	form, err := json.Marshal(in.Questions)
	if err != nil {
		return err
	}
	if err := s.insist(func() error { return s.runs.Ask(s.rec.ID, in) }); err != nil {
		return err
	}
	s.rec.Awaiting = &run.Awaiting{InteractionID: in.ID, Questions: form}
	return nil
}

func (s *supervisor) saveResults() error {
	if err := s.saveOutput(); err != nil {
		return err
	}
	return s.runs.Save(s.rec)
}

func (s *supervisor) saveOutput() error {
	if s.said == nil {
		return nil
	}
	s.said.mu.Lock()
	defer s.said.mu.Unlock()
	if len(s.said.output.values) == 0 {
		return nil
	}
	return s.runs.SetOutput(s.rec.ID, s.said.output.all())
}

// heedCancel ends a run that was to go on later, when a person asked for its end
// while it was being written down. Who asks after the write finds it there.
func (s *supervisor) heedCancel() error {
	o, asked := cancelled(s.runs, s.rec)
	if !asked {
		return nil
	}
	if err := s.rec.Become(o, time.Now()); err != nil {
		return err
	}
	return s.insist(func() error { return s.runs.Save(s.rec) })
}

// tell writes the event of the end.
func (s *supervisor) tell() error {
	if s.journal == nil {
		return ensureTold(s.runs, s.rec)
	}
	s.events.Lock()
	defer s.events.Unlock()
	events := lastEvents(s.rec)
	for i, e := range events {
		if err := s.journal.Append(e, i == len(events)-1); err != nil {
			return err
		}
	}
	return nil
}

// insist does a write until it works. A verdict lost to a full disk would make an
// orphan of a run that ended well, and its work would be done again; meanwhile the
// lock keeps others away. Only a signal, or the loss of the folder, ends it.
func (s *supervisor) insist(write func() error) error {
	for pause := lookEvery; ; pause = min(2*pause, 5*time.Second) {
		err := write()
		if err == nil || errors.Is(err, jsonl.ErrUnsure) || s.gone() {
			return err
		}
		s.complain(err)
		select {
		case sig := <-s.signals:
			if sig != syscall.SIGHUP {
				return err
			}
		case <-time.After(pause):
		}
	}
}

func (s *supervisor) removeEmptyLog() {
	path := filepath.Join(s.dir, supervisorLog)
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		_ = os.Remove(path)
	}
}

// cancelled says how a run that was to go on later ends instead, when a person
// asked for that.
func cancelled(d *run.Dir, rec run.Record) (run.Outcome, bool) {
	if !rec.Status.CanBecome(run.Cancelled) {
		return run.Outcome{}, false
	}
	in, err := d.Intent(rec.ID)
	if err != nil || in == nil || in.Verb != run.VerbCancel {
		return run.Outcome{}, false
	}
	return ending{asked: in}.outcome(), true
}

// lastEvents tell how a run ended, or what it is paused for.
func lastEvents(rec run.Record) []run.Event {
	if !rec.Status.Paused() {
		return []run.Event{run.OutcomeEvent(rec)}
	}
	data := map[string]any{"status": rec.Status, pausedAt: rec.UpdatedAt.Format(time.RFC3339Nano)}
	paused := run.Event{Timestamp: rec.UpdatedAt, Type: run.EventPaused, Data: data}
	if rec.Error != "" {
		data["error"] = rec.Error
	}
	if rec.PauseReason != "" {
		data["reason"] = rec.PauseReason
	}
	if rec.Awaiting == nil || rec.Status != run.PausedHuman {
		return []run.Event{paused}
	}
	data["interaction_id"] = rec.Awaiting.InteractionID
	asked := run.Event{Timestamp: rec.UpdatedAt, Type: run.EventAsked,
		Data: map[string]any{"interaction_id": rec.Awaiting.InteractionID, "questions": rec.Awaiting.Questions}}
	return []run.Event{asked, paused}
}

// pausedAt is what an event of a pause says, to tell one pause from another.
const pausedAt = "paused_at"

// ensureTold appends the events of a run that has ended or paused, unless they are
// there. The caller holds the run's lock.
func ensureTold(d *run.Dir, rec run.Record) error {
	if !rec.Status.Paused() {
		return d.EnsureOutcome(rec)
	}
	told := false
	err := d.EachEvent(rec.ID, func(e run.Event) {
		told = told || e.Data[pausedAt] == rec.UpdatedAt.Format(time.RFC3339Nano)
	})
	if err != nil || told {
		return err
	}
	j, err := d.Journal(rec.ID)
	if err != nil {
		return err
	}
	for _, e := range lastEvents(rec) {
		if err := j.Append(e, true); err != nil {
			return fmt.Errorf("tell of the pause: %w", err)
		}
	}
	return nil
}

package trigger

import (
	"fmt"

	"iterion/native/run"
)

// FromRun returns the event of what became of a run; ok is false for one that is at
// work. The event's id is the same whoever tells it, see OutcomeID.
func FromRun(rec run.Record) (e Event, ok bool) {
	kind := outcomeKind(rec.Status)
	if kind == "" {
		return Event{}, false
	}
	at := rec.UpdatedAt
	if rec.Status.Final() && !rec.FinishedAt.IsZero() {
		at = rec.FinishedAt
	}
	title := rec.Name
	if title == "" {
		title = fmt.Sprintf("%s: run %s %s", rec.Bot, run.Short(rec.ID), rec.Status)
	}
	return Event{
		ID: OutcomeID(rec), Source: SourceRun, Kind: kind, Action: string(rec.Status), OccurredAt: at,
		Subject: Subject{Type: "run", ID: rec.ID, Title: title, Body: rec.Error, State: string(rec.Status)},
		Actor:   rec.Bot, Payload: outcomePayload(rec),
		RunID: rec.ID, OutcomeSeq: rec.OutcomeSeq, ChainDepth: rec.ChainDepth,
	}, true
}

// outcomeKind returns the kind of event that a status is told by, or "".
func outcomeKind(s run.Status) string {
	switch s {
	case run.Finished:
		return RunFinished
	case run.Failed, run.FailedResumable:
		return RunFailed
	case run.Cancelled:
		return RunCancelled
	case run.PausedHuman, run.PausedOperator:
		return RunPaused
	}
	return ""
}

func outcomePayload(rec run.Record) map[string]any {
	out := map[string]any{"bot": rec.Bot, "status": string(rec.Status)}
	for _, f := range []struct{ name, value string }{
		{"issue_id", rec.Source.IssueID}, {"source", rec.Source.Kind}, {"schedule_id", rec.Source.ScheduleID},
		{"subscription_id", rec.Source.SubscriptionID}, {"failure_code", rec.FailureCode}, {"pause_reason", rec.PauseReason},
		{"workdir", rec.Workdir},
	} {
		if f.value != "" {
			out[f.name] = f.value
		}
	}
	return out
}

// VerifyRun returns why an event of a run is not to be believed, or "". The record
// may have gone on since the event was told; it must not speak against it.
func VerifyRun(e Event, rec run.Record) string {
	status := run.Status(e.Subject.State)
	bot, _ := e.Payload["bot"].(string)
	claimed, _ := e.Payload["status"].(string)
	switch {
	case rec.Status == "":
		return "the run's record has no status"
	case status == "":
		return "it does not say what became of the run"
	case outcomeKind(status) == "":
		return fmt.Sprintf("status %s is neither an end nor a pause", status)
	case outcomeKind(status) != e.Kind:
		return fmt.Sprintf("kind %s does not go with status %s", e.Kind, status)
	case claimed != "" && claimed != e.Subject.State:
		return fmt.Sprintf("it claims status %s and status %s", status, claimed)
	case e.RunID != rec.ID || e.Subject.ID != "" && e.Subject.ID != rec.ID:
		return fmt.Sprintf("it names another run than %s", rec.ID)
	case bot != "" && bot != rec.Bot:
		return fmt.Sprintf("it says that the bot was %s, the run's record says %s", bot, rec.Bot)
	}
	return contradicted(e, status, rec)
}

// contradicted compares an outcome with where the record stands.
func contradicted(e Event, status run.Status, rec run.Record) string {
	switch {
	case status.Final() && e.OutcomeSeq < 1:
		return "it does not say which outcome of the run it tells"
	case e.OutcomeSeq > rec.OutcomeSeq:
		return fmt.Sprintf("it tells of outcome %d, the run has had %d", e.OutcomeSeq, rec.OutcomeSeq)
	case e.OutcomeSeq < rec.OutcomeSeq || rec.Status == status:
		return "" // the run has gone on since, or stands where the event says
	case status.Final() && rec.Status.Final():
		return fmt.Sprintf("it says %s, the run is %s", status, rec.Status)
	}
	return ""
}

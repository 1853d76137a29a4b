package run

import (
	"errors"
	"testing"
	"time"
)

var statuses = []Status{Queued, Running, PausedHuman, PausedOperator, Finished, Failed, FailedResumable, Cancelled}

func TestOnlyLegalTransitionsChangeARecord(t *testing.T) {
	legal := map[[2]Status]bool{
		{Queued, Running}: true, {Queued, Failed}: true, {Queued, FailedResumable}: true, {Queued, Cancelled}: true,
		{Running, Finished}: true, {Running, Failed}: true, {Running, FailedResumable}: true, {Running, Cancelled}: true,
		{Running, PausedHuman}: true, {Running, PausedOperator}: true,
		{PausedHuman, Queued}: true, {PausedHuman, Cancelled}: true,
		{PausedOperator, Queued}: true, {PausedOperator, Cancelled}: true,
		{FailedResumable, Queued}: true, {FailedResumable, Cancelled}: true,
	}
	for _, from := range statuses {
		for _, to := range statuses {
			rec := Record{Status: from, FailureCode: "OLD", OutcomeSeq: 3}
			err := rec.Become(Outcome{Status: to, Code: "NEW", Error: "why"}, time.Now())
			var refused *TransitionError
			switch {
			case legal[[2]Status{from, to}] && err != nil:
				t.Errorf("%s to %s: %v", from, to, err)
			case !legal[[2]Status{from, to}] && (!errors.As(err, &refused) || rec.Status != from || rec.FailureCode != "OLD"):
				t.Errorf("%s to %s was not refused cleanly: %v", from, to, err)
			case err == nil:
				checkOutcome(t, rec)
			}
		}
	}
}

func checkOutcome(t *testing.T, rec Record) {
	t.Helper()
	failure := rec.Status == Failed || rec.Status == FailedResumable
	if (rec.FailureCode == "NEW") != failure || (!failure && rec.FailureCode != "") {
		t.Errorf("%s carries code %q", rec.Status, rec.FailureCode)
	}
	if want := map[bool]int{true: 4, false: 3}[rec.Status.Final()]; rec.OutcomeSeq != want {
		t.Errorf("%s has outcome_seq %d, want %d", rec.Status, rec.OutcomeSeq, want)
	}
	if rec.FinishedAt.IsZero() == rec.Status.Final() {
		t.Errorf("%s has finished_at %s", rec.Status, rec.FinishedAt)
	}
}

// The exit code of a paused run is the one of a bot that had asked and ended well.
func TestACancelSaysNothingOfAProcessThatEndedBefore(t *testing.T) {
	for _, from := range []Status{Queued, Running, PausedHuman, PausedOperator, FailedResumable} {
		code := 0
		rec := Record{Status: from, ExitCode: &code, Signal: "terminated"}
		if err := rec.Become(Outcome{Status: Cancelled}, time.Now()); err != nil {
			t.Fatal(err)
		}
		if had := from == Queued || from == Running; (rec.ExitCode != nil) != had || (rec.Signal != "") != had {
			t.Errorf("cancelled while %s: exit code %v, signal %q", from, rec.ExitCode, rec.Signal)
		}
	}
}

func TestDoubtShowsOnlyWhileTheRunHasNotEnded(t *testing.T) {
	rec := Record{Status: Running}
	rec.Doubt("process 7 is still alive", time.Now())
	if !rec.Doubtful() || rec.Status != Running {
		t.Errorf("record is %+v", rec)
	}
	if err := rec.Become(Outcome{Status: Finished}, time.Now()); err != nil || rec.Doubtful() || rec.FailureCode != "" || rec.Error != "" {
		t.Errorf("%v: %+v", err, rec)
	}
}

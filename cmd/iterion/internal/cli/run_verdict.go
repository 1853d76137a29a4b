package cli

import (
	"errors"
	"time"

	"iterion/native/run"
	"iterion/native/spend"
)

// printVerdict turns how a run ended into the result and the exit code.
func (f *Factory) printVerdict(runs *run.Dir, rec run.Record) error {
	if f.Global.JSON {
		if err := f.printRecord(runs, rec); err != nil {
			return err
		}
	}
	code := verdictCode(rec.Status)
	line := "run " + run.Short(rec.ID) + " " + statusWords(rec)
	if rec.CostUSD > 0 {
		line += ", cost " + spend.Dollars(rec.CostUSD)
	}
	if code == ExitOK {
		f.Talk("%s", line)
		return nil
	}
	if rec.Error != "" {
		line += ": " + rec.Error
	}
	return &ExitError{Code: code, Err: errors.New(line), Hint: whatNext(runs, rec)}
}

func verdictCode(s run.Status) int {
	switch {
	case s == run.Finished:
		return ExitOK
	case s == run.Cancelled:
		return ExitRunCancelled
	case s.Paused():
		return ExitRunPaused
	case s.Final():
		return ExitRunFailed
	}
	return ExitFailed
}

// whatNext is what can be done with a run that did not finish.
func whatNext(runs *run.Dir, rec run.Record) string {
	id := run.Short(rec.ID)
	switch {
	case rec.Status == run.PausedHuman:
		in, err := runs.Pending(rec)
		if err != nil {
			return err.Error()
		}
		return indent(questionText(in.Questions)) + "\n" + answerUsage(in)
	case rec.Status == run.PausedOperator && rec.PauseReason == run.PauseCostCap:
		return "`iterion spend override --note WHY` lifts the day's cap, then `iterion runs resume " + id + "` lets it go on"
	case rec.Status == run.PausedOperator:
		return "`iterion runs resume " + id + "` lets it go on"
	case rec.Status == run.FailedResumable:
		return "see `iterion runs show " + id + "`; `iterion runs resume " + id + "` lets it go on"
	}
	return "see `iterion runs show " + id + "`"
}

// statusWords is a status and how long it took to get there.
func statusWords(rec run.Record) string {
	s := string(rec.Status)
	if rec.FailureCode != "" {
		s += " (" + rec.FailureCode + ")"
	}
	if rec.Status.Final() && !rec.StartedAt.IsZero() {
		s += " after " + short(rec.FinishedAt.Sub(rec.StartedAt))
	}
	return s
}

// short rounds a duration to what a reader cares for.
func short(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

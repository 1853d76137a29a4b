package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"iterion/native/run"
	"iterion/native/spend"
)

func newRunsShow(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "show RUN", Short: "Show a run", Args: exactly("RUN"),
		ValidArgsFunction: f.completeRuns,
		RunE:              func(_ *cobra.Command, args []string) error { return runRunsShow(f, args[0]) },
	}
}

func runRunsShow(f *Factory, ref string) error {
	runs, id, err := f.findRun(ref)
	if err != nil {
		return err
	}
	rec, err := runs.Get(id)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.printRecord(runs, rec)
	}
	showRun(f, runs, rec)
	return nil
}

func showRun(f *Factory, runs *run.Dir, r run.Record) {
	for _, row := range runRowsOf(f, runs, r) {
		if row[1] != "" {
			f.Say("%-10s %s", row[0], strings.ReplaceAll(row[1], "\n", "\n           "))
		}
	}
	showQuestion(f, runs, r)
	for i, name := range slices.Sorted(maps.Keys(r.Inputs)) {
		f.Say("%-10s %s=%s", head("vars", i), name, oneLine(r.Inputs[name]))
	}
	out, err := runs.Output(r.ID)
	if err != nil {
		f.Warn("%v", err)
	}
	for i, name := range slices.Sorted(maps.Keys(out)) {
		f.Say("%-10s %s=%s", head("output", i), name, oneLine(valueText(out[name])))
	}
}

func runRowsOf(f *Factory, runs *run.Dir, r run.Record) [][2]string {
	return [][2]string{
		{"run", r.ID},
		{"status", liveStatus(runs, r)},
		{"error", r.Error},
		{"code", strings.TrimSpace(r.FailureCode + " " + r.FailureClass)},
		{"retry at", instant(r.RetryAt)},
		{"paused", pauseText(r)},
		{"exit", exitText(r)},
		{"progress", progressText(r.Progress)},
		{"bot", strings.TrimSpace(r.Bot + " " + r.BotVersion)},
		{"name", oneLine(r.Name)},
		{"issue", r.Source.IssueID},
		{"source", r.Source.Kind},
		{"schedule", orElse(r.Source.ScheduleName, r.Source.ScheduleID)},
		{"trigger", r.Source.SubscriptionID},
		{"event", r.Source.EventID},
		{"chain", chainText(r)},
		{"attempt", strconv.Itoa(r.Attempt)},
		{"created", instant(r.CreatedAt)},
		{"started", instant(r.StartedAt)},
		{"finished", instant(r.FinishedAt)},
		{"took", tookText(r, f.Now())},
		{"cost", costText(r)},
		{"session", r.Session},
		{"workdir", r.Workdir},
		{"bundle", r.BundlePath},
		{"log", runs.LogPath(r.ID)},
	}
}

// chainText says how many launches by events of runs led to a run.
func chainText(r run.Record) string {
	if r.ChainDepth == 0 {
		return ""
	}
	return strconv.Itoa(r.ChainDepth) + " deep"
}

// showQuestion prints what a run waits for and how to answer it, or what its bot
// was answered.
func showQuestion(f *Factory, runs *run.Dir, r run.Record) {
	answers, err := runs.Answers(r)
	if err != nil {
		f.Warn("%v", err)
	}
	in, err := runs.Pending(r)
	if err == nil {
		f.Say("%-10s %s", "asks", strings.ReplaceAll(questionText(in.Questions), "\n", "\n           "))
	}
	for i, name := range slices.Sorted(maps.Keys(answers)) {
		f.Say("%-10s %s=%s", head("answers", i), name, oneLine(valueText(answers[name])))
	}
	switch {
	case err != nil:
	case in.Answered():
		f.Say("%-10s answered by %s; `iterion runs resume %s` lets it go on", "next", in.AnsweredBy, run.Short(r.ID))
	default:
		f.Say("%-10s %s", "next", answerUsage(in))
	}
}

// pauseText says why a run is paused and what to do about it.
func pauseText(r run.Record) string {
	if r.Status != run.PausedOperator {
		return ""
	}
	why := r.PauseReason
	if why == run.PauseCostCap {
		why += " (see `iterion spend`)"
	}
	return strings.TrimPrefix(why+"; `iterion runs resume "+run.Short(r.ID)+"` lets it go on", "; ")
}

func costText(r run.Record) string {
	if r.CostUSD == 0 && r.TokensIn == 0 && r.TokensOut == 0 {
		return ""
	}
	s := spend.Dollars(r.CostUSD)
	if r.TokensIn > 0 || r.TokensOut > 0 {
		s += fmt.Sprintf(", tokens %d in, %d out", r.TokensIn, r.TokensOut)
	}
	return s
}

func exitText(r run.Record) string {
	switch {
	case r.Signal != "":
		return r.Signal
	case r.ExitCode != nil:
		return strconv.Itoa(*r.ExitCode)
	}
	return ""
}

// oneLine shows the first line of a text, and that there is more.
func oneLine(s string) string {
	first, _, more := strings.Cut(strings.TrimRight(s, "\n"), "\n")
	if more {
		first += " …"
	}
	return first
}

func valueText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

package cli

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"iterion/sched/cronspec"
	"iterion/sched/trigger"
)

func (t *triggers) show(s trigger.Subscription) {
	rows := slices.Concat(triggerHead(s), matchRows(s), clockRows(s), triggerTail(s))
	for _, row := range rows {
		if row[1] != "" {
			t.f.Say("%-12s %s", row[0], strings.ReplaceAll(row[1], "\n", "\n             "))
		}
	}
	for i, name := range slices.Sorted(maps.Keys(s.Vars)) {
		t.f.Say("%-12s %s=%s", head("vars", i), name, oneLine(s.Vars[name]))
	}
	if v := t.view(s, nextShown); len(v.Next) > 0 {
		if spec, err := cronspec.Parse(s.Cron, s.TZ, time.Local); err == nil {
			t.f.Say("")
			sayDue(t.f, spec, v.Next)
		}
	}
}

func triggerHead(s trigger.Subscription) [][2]string {
	return [][2]string{
		{"trigger", s.ID}, {"bot", s.BotID}, {"kind", string(s.Invocation)}, {"when", whenText(s)},
		{"state", stateWords(s)}, {"problem", s.Problem}, {"last error", errorText(s)}, {"mode", modeText(s)}, {"origin", originText(s)},
	}
}

func stateWords(s trigger.Subscription) string {
	if state := stateText(s); state != "not here" {
		return state
	}
	return "not fired by a local daemon"
}

func modeText(s trigger.Subscription) string {
	if s.Mode == trigger.Promote {
		return "board: the bot is put on the card, and the dispatcher starts it"
	}
	return "direct: a run is launched"
}

func errorText(s trigger.Subscription) string {
	if s.LastError == "" {
		return ""
	}
	return s.LastError + " (" + instant(s.LastErrorAt) + ")"
}

func matchRows(s trigger.Subscription) [][2]string {
	list := func(values []string) string { return strings.Join(values, ", ") }
	m := s.Match
	rows := [][2]string{
		{"sources", list(m.Sources)}, {"events", list(m.Kinds)}, {"actions", list(m.Actions)}, {"repos", list(m.Repos)},
		{"repo", s.Repo}, {"authors", list(m.Authors)}, {"states", list(m.States)}, {"labels", list(m.AllLabels)},
	}
	if s.ConsumeLabels {
		rows = append(rows, [2]string{"one-shot", "the labels are taken off when it fires"})
	}
	return append(rows, [2]string{"args var", s.ArgsVar})
}

func clockRows(s trigger.Subscription) [][2]string {
	if !s.Clock() {
		return nil
	}
	p := s.Policy().Filled()
	overlap := string(p.Overlap)
	switch {
	case s.StaleAfter > 0:
		overlap += ", a run that is silent for " + s.StaleAfter.String() + " does not count"
	case p.MaxConcurrent > 0:
		overlap += ", at most " + strconv.Itoa(p.MaxConcurrent) + " at once"
	}
	rows := [][2]string{{"zone", s.TZ}, {"overlap", overlap}, {"workdir", s.Workdir}, {"guard", p.Guard}}
	if s.CatchUp != nil {
		rows = append(rows, [2]string{"catch up", s.CatchUp.String()})
	}
	if p.Guard != "" {
		rows = append(rows, [2]string{"guard time", spanText(p.GuardTimeout)}, [2]string{"guard var", p.GuardVar})
	}
	return rows
}

func triggerTail(s trigger.Subscription) [][2]string {
	var retry []string
	add := func(name, value string, set bool) {
		if set {
			retry = append(retry, name+" "+value)
		}
	}
	add("usage window", s.RetryUsageWindow, s.RetryUsageWindow != "")
	add("max attempts", strconv.Itoa(s.RetryMaxAttempts), s.RetryMaxAttempts != 0)
	add("max wait", s.RetryMaxWait.String(), s.RetryMaxWait != 0)
	add("jitter", s.RetryJitter.String(), s.RetryJitter != 0)
	made := instant(s.CreatedAt)
	if s.CreatedBy != "" {
		made = strings.TrimSpace(made + " by " + s.CreatedBy)
	}
	return [][2]string{{"retry", strings.Join(retry, ", ")}, {"made", made}, {"changed", instant(s.UpdatedAt)}}
}

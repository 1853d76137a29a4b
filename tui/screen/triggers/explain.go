package triggers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/sched/trigger"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// facts collects the named lines of a text, leaving out what is empty.
type facts struct{ body []kit.Para }

func (f *facts) add(name, text string) {
	if text != "" {
		f.body = append(f.body, kit.Para{Name: name, Text: text})
	}
}

// explainSub tells all of one subscription.
func explainSub(sub trigger.Subscription) *kit.Text {
	stands := "in force"
	if !sub.Enabled {
		stands = "out of force"
	}
	f := facts{[]kit.Para{{Name: "stands", Text: stands, Mark: subMark(sub)}}}
	f.add("bot", sub.BotID)
	f.add("for", wants(sub))
	f.add("args var", sub.ArgsVar)
	f.add("vars", pairs(sub.Vars))
	f.add("from", origin(sub))
	f.add("last error", sub.LastError)
	f.add("since", stamp(sub.LastErrorAt))
	return &kit.Text{Ask: kit.Line(sub.ID), Body: f.body}
}

func origin(sub trigger.Subscription) string {
	if sub.Origin == trigger.FromManifest {
		return "the bot's manifest"
	}
	return strings.TrimSpace("triggers.yaml " + sub.CreatedBy)
}

func pairs(vars map[string]string) string {
	var out []string
	for name, value := range vars {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// explainEffect tells all of one effect, and what can be done about it.
func (s *Screen) explainEffect(e *screen.Env, ef trigger.Effect) *kit.Text {
	f := facts{[]kit.Para{{Name: "stands", Text: became(e, ef), Mark: effectMark(ef.State)}}}
	f.add("event", aboutOf(ef))
	f.add("source", string(ef.Event.Source))
	f.add("by", ef.Event.Actor)
	f.add("happened", stamp(ef.Event.OccurredAt))
	f.add("labels", strings.Join(ef.Event.Labels, ", "))
	f.add("reason", ef.Event.Reason)
	f.add("for", ef.SubscriptionID)
	f.add("run", ef.RunID)
	if ef.Event.ChainDepth > 0 {
		f.add("chain", fmt.Sprintf("%d launches by outcome led here", ef.Event.ChainDepth))
	}
	f.add("tries", fmt.Sprintf("%d of %d spent", ef.Attempts, trigger.MaxAttempts))
	f.add("last error", ef.LastError)
	f.add("made", stamp(ef.CreatedAt))
	f.add("id", ef.ID)
	d := &kit.Text{Ask: "What an event owes", Body: f.body}
	if ef.State == trigger.Failed || ef.State == trigger.Pending {
		d.Then = append(d.Then, kit.Then{Key: s.keys.retry, Do: func() tea.Cmd { return retry(e, ef) }})
		d.Then = append(d.Then, kit.Then{Key: s.keys.drop, Do: func() tea.Cmd { askDrop(e, ef); return nil }})
	}
	if ef.RunID != "" && ef.State == trigger.Done {
		d.Then = append(d.Then, kit.Then{Key: s.keys.run, Do: func() tea.Cmd { openRun(e, ef); return nil }})
	}
	return d
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Local().Format("2006-01-02 15:04:05 MST")
}

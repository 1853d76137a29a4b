package triggers

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/sched/trigger"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// explainSub tells all of one subscription.
func explainSub(sub trigger.Subscription) *kit.Text {
	stands := "in force"
	if !sub.Enabled {
		stands = "out of force"
	}
	d := &kit.Text{Ask: kit.Line(sub.ID), Body: []kit.Para{{Name: "stands", Text: stands, Mark: subMark(sub)}}}
	d.Fact("bot", sub.BotID)
	d.Fact("for", wants(sub))
	d.Fact("args var", sub.ArgsVar)
	d.Fact("vars", pairs(sub.Vars))
	d.Fact("from", origin(sub))
	d.Fact("last error", sub.LastError)
	d.Fact("since", kit.Stamp(sub.LastErrorAt))
	return d
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
	d := &kit.Text{Ask: "What an event owes", Body: []kit.Para{{Name: "stands", Text: became(e, ef), Mark: effectMark(ef.State)}}}
	d.Fact("event", aboutOf(ef))
	d.Fact("source", string(ef.Event.Source))
	d.Fact("by", ef.Event.Actor)
	d.Fact("happened", kit.Stamp(ef.Event.OccurredAt))
	d.Fact("labels", strings.Join(ef.Event.Labels, ", "))
	d.Fact("reason", ef.Event.Reason)
	d.Fact("for", ef.SubscriptionID)
	d.Fact("run", ef.RunID)
	if ef.Event.ChainDepth > 0 {
		d.Fact("chain", fmt.Sprintf("%d launches by outcome led here", ef.Event.ChainDepth))
	}
	d.Fact("tries", fmt.Sprintf("%d of %d spent", ef.Attempts, trigger.MaxAttempts))
	d.Fact("last error", ef.LastError)
	d.Fact("made", kit.Stamp(ef.CreatedAt))
	d.Fact("id", ef.ID)
	if ef.State == trigger.Failed || ef.State == trigger.Pending {
		d.Then = append(d.Then, kit.Then{Key: s.keys.retry, Do: func() tea.Cmd { return retry(e, ef) }})
		d.Then = append(d.Then, kit.Then{Key: s.keys.drop, Do: func() tea.Cmd { askDrop(e, ef); return nil }})
	}
	if ef.RunID != "" && ef.State == trigger.Done {
		d.Then = append(d.Then, kit.Then{Key: s.keys.run, Do: func() tea.Cmd { openRun(e, ef); return nil }})
	}
	return d
}

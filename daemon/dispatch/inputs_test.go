package dispatch

import (
	"errors"
	"maps"
	"testing"
	"time"

	"iterion/bots/manifest"
	"iterion/native/board"
)

func TestInputsFromLowToHigh(t *testing.T) {
	f := launchFacts{
		issue: board.Issue{ID: "native:0123456789abcdef", Title: "Fix {{it}}", Body: "now", Labels: []string{"a", "b"},
			Priority: 3, Fields: map[string]any{"team": "red", "size": 2.5},
			BotArgs: map[string]string{"prompt": "{{issue.title}}", "depth": "2"}},
		dispatcher: "loop", runID: "r1", workdir: "/w", attempt: 4,
	}
	bot := Bot{DispatchVars: map[string]string{
		"prompt": "from the bot", "where": "{{dispatcher.workspace_path}} {{dispatcher.run_id}} {{dispatcher.attempt}}",
		"about": "{{issue.title}}: {{issue.body}} [{{issue.labels}}] {{issue.priority}} {{issue.fields.team}}{{issue.fields.none}}",
	}}
	got, err := inputs(bot, map[string]string{"prompt": "from the config", "where": "{{dispatcher.name}}"}, f)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"prompt": "{{issue.title}}", // what a card says is not expanded
		"depth":  "2", "where": "loop",
		"about": "Fix {{it}}: now [a,b] 3 red",
	}
	if !maps.Equal(got, want) {
		t.Fatalf("got %v\nwant %v", got, want)
	}
}

func TestInputsRefuseABrokenTemplate(t *testing.T) {
	_, err := inputs(Bot{}, map[string]string{"prompt": "{{issue.titel}}"}, launchFacts{})
	if !errors.Is(err, ErrLaunchRefused) {
		t.Fatalf("got %v", err)
	}
}

// Every reference that a manifest may use has a meaning here.
func TestEveryTemplateReferenceIsKnown(t *testing.T) {
	f := launchFacts{issue: board.Issue{CreatedAt: time.Now(), External: &board.External{URL: "u"}}}
	for _, name := range manifest.References() {
		if _, ok := f.lookup(name); !ok {
			t.Errorf("%s is not known", name)
		}
	}
}

func TestLaunchCarriesTheInputs(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.bots.dispatchVars = map[string]string{"prompt": "{{issue.title}}"}
		b.card(func(is *board.Issue) { is.Title = "Tidy up"; is.BotArgs = map[string]string{"depth": "1"} })
		b.start().later(2 * time.Second)
		got := b.runs.all()[0]
		if got.Inputs["prompt"] != "Tidy up" || got.Inputs["depth"] != "1" || got.Workdir == "" || got.Attempt != 1 {
			t.Fatalf("launch %+v", got)
		}
	})
}

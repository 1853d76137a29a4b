package cli

import (
	"context"
	"fmt"

	"iterion/native/board"
)

// examples are the cards of `iterion init --example`: what a newcomer watches
// being worked first.
func examples() []board.Issue {
	return []board.Issue{
		{
			Title: "Say hello", Bot: "hello", Priority: 2,
			Body: "The bot `hello` needs nothing. It reports its progress while it works.",
		},
		{
			Title: "Write a file", Bot: "shell", Priority: 1,
			Body:    "The bot `shell` runs a command in a folder of the card's own.",
			BotArgs: map[string]string{"command": "date > when.txt; echo 'wrote when.txt:'; cat when.txt"},
		},
		{
			Title: "Count to five", Bot: "shell",
			Body:    "A command reports its progress with `iterion report`.",
			BotArgs: map[string]string{"command": countToFive},
		},
	}
}

const countToFive = `for n in 1 2 3 4 5; do
  echo "counted $n"
  iterion report progress "at $n of 5" --percent "$((n * 20))"
  sleep 1
done`

// fileExamples files the example cards, ready to be worked.
func fileExamples(ctx context.Context, f *Factory) error {
	b, schema, err := f.BoardAndSchema(ctx)
	if err != nil {
		return err
	}
	state := board.StateReady
	if eligible := schema.EligibleNames(); schema.CheckState(state) != nil && len(eligible) > 0 {
		state = eligible[0]
	}
	for _, is := range examples() {
		is.State = state
		if _, err := b.Create(ctx, is, f.Cause()); err != nil {
			return fmt.Errorf("file example card: %w", err)
		}
	}
	f.Talk("filed %d example cards in %s", len(examples()), state)
	return nil
}

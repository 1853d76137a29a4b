// Command iterion keeps a board of cards and hands them to bots.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"iterion/bots/supervise"
	"iterion/cmd/iterion/internal/cli"
)

func main() { os.Exit(program(os.Args[1:], cli.Hooks{})) }

// program is what the process does: the supervisor of one run when it was started as such,
// else the command line. The supervisor goes its own way before any command is
// built, because it lives as long as its bot and sets its signals itself.
func program(args []string, hooks cli.Hooks) int {
	if len(args) > 0 && args[0] == supervise.Command {
		return supervise.Main(args[1:])
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Main(ctx, args, cli.System(), hooks)
}

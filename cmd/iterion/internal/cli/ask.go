package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
)

// confirm asks a yes-or-no question whose default is no. Anything but a yes
// ends the command with nothing done.
func (f *Factory) confirm(ctx context.Context, question string) error {
	fmt.Fprintf(f.IO.Err, "%s [y/N] ", visibleText(question))
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(f.IO.In).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case a := <-answer:
		if a == "y" || a == "yes" {
			return nil
		}
		return &ExitError{Code: ExitFailed, Err: errors.New("nothing done")}
	}
}

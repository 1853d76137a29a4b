package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// fakeCrontab plays the crontab program over a file, so that no test comes near the
// crontab of whoever runs it: it goes before the real one in PATH. Without a file
// there is no crontab, and none can be written.
func fakeCrontab(path string, args []string) int {
	fail := func(text string) int {
		fmt.Fprintln(os.Stderr, text)
		return 1
	}
	switch {
	case len(args) != 1:
		return fail("crontab: usage error")
	case args[0] == "-l":
		text, err := os.ReadFile(path)
		if err != nil {
			return fail("no crontab for tester")
		}
		_, _ = os.Stdout.Write(text)
	case args[0] == "-" && path != "":
		text, err := io.ReadAll(os.Stdin)
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			return fail(err.Error())
		}
	case args[0] == "-r":
		_ = os.Remove(path)
	default:
		return fail("crontab: the tests have none to write")
	}
	return 0
}

// clockOf returns a clock that stands at the instant that the text names when it is
// first asked, and goes on from there; nil, the real one, without a text.
func clockOf(text string) func() time.Time {
	if text == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	began := time.Now()
	return func() time.Time { return at.Add(time.Since(began)).Local() }
}

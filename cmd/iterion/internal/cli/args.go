package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// exactly wants one argument for each name.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return Usagef("%s: %s is missing: %s", cmd.CommandPath(), names[len(args)], cmd.UseLine())
		case len(args) > len(names):
			return Usagef("%s: unexpected argument %q: %s", cmd.CommandPath(), args[len(names)], cmd.UseLine())
		}
		return nil
	}
}

// atLeastOne wants one or more arguments of that name.
func atLeastOne(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usagef("%s: %s is missing: %s", cmd.CommandPath(), name, cmd.UseLine())
		}
		return nil
	}
}

// atMostOne takes one optional argument.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return Usagef("%s: unexpected argument %q: %s", cmd.CommandPath(), args[1], cmd.UseLine())
	}
	return nil
}

// group is a command that only holds others.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: knownCommand, RunE: func(c *cobra.Command, _ []string) error {
		return c.Help()
	}}
	c.AddCommand(subs...)
	return c
}

// knownCommand refuses a word that names no command of the group.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	return &ExitError{Code: ExitUsage, Hint: "see `" + cmd.CommandPath() + " --help`",
		Err: Usagef("unknown command %q for %q%s", args[0], cmd.CommandPath(), didYouMean(args[0], names))}
}

// inWords says for people why package strconv refused a flag's value.
func inWords(msg string) string {
	about, reason, ok := strings.Cut(msg, "strconv.")
	switch {
	case !ok:
		return msg
	case strings.Contains(reason, "out of range"):
		return about + "the number is too large"
	case strings.HasPrefix(reason, "ParseInt"):
		return about + "want a whole number"
	case strings.HasPrefix(reason, "ParseBool"):
		return about + "want true or false"
	}
	return about + "want a number"
}

// flagError adds to pflag's message what the user may have meant.
func flagError(cmd *cobra.Command, err error) error {
	msg := inWords(err.Error())
	if name, ok := strings.CutPrefix(msg, "unknown flag: --"); ok {
		var names []string
		cmd.Flags().VisitAll(func(fl *pflag.Flag) { names = append(names, "--"+fl.Name) })
		cmd.InheritedFlags().VisitAll(func(fl *pflag.Flag) { names = append(names, "--"+fl.Name) })
		msg += didYouMean("--"+name, names)
	}
	where := strings.TrimPrefix(cmd.CommandPath()+": ", cmd.Root().Name()+": ") // every message begins with the program's name
	return &ExitError{Code: ExitUsage, Err: Usagef("%s%s", where, msg),
		Hint: "see `" + cmd.CommandPath() + " --help`"}
}

package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"iterion/native/board"
)

// The checks of this file come before the store is asked: a blank title before
// an editor opens, and what the store cannot know, such as which bots there are.
// States, fields and labels are the store's to check.

func checkTitle(title string) error {
	if strings.TrimSpace(title) == "" {
		return Usagef("the title is blank: give the card a title with --title")
	}
	return nil
}

// checkBot wants a bot that the registry can find from here.
func (f *Factory) checkBot(slug string) error {
	if slug == "" {
		return nil
	}
	reg, err := f.Bots()
	if err != nil {
		return err
	}
	if _, err := reg.Resolve(slug); err != nil {
		return &ExitError{Code: ExitUsage, Err: err, Hint: "`iterion bot list` shows the bots there are"}
	}
	return nil
}

// resolveFlag resolves cards named by a flag. A card that does not exist is a
// bad flag value here, not a missing subject of the command.
func resolveFlag(ctx context.Context, b board.Store, flag string, refs []string) ([]string, error) {
	ids := make([]string, 0, len(refs))
	for _, ref := range refs {
		id, err := b.Resolve(ctx, ref)
		if err != nil {
			return nil, &ExitError{Code: ExitUsage, Err: fmt.Errorf("--%s %q: %w", flag, ref, err)}
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// pairs parses k=v flags.
func pairs(flag string, in []string) (map[string]string, error) {
	if len(in) == 0 {
		return nil, nil
	}
	out := make(map[string]string, len(in))
	for _, kv := range in {
		k, v, ok := strings.Cut(kv, "=")
		if k = strings.TrimSpace(k); !ok || k == "" {
			return nil, Usagef("--%s %q: want key=value", flag, kv)
		}
		out[k] = v
	}
	return out, nil
}

// labelsAlias keeps `--labels a,b` working, the name other tools of this kind use.
func labelsAlias(fl *pflag.FlagSet, into *[]string) {
	fl.Var(commaList{into}, "labels", "labels, separated by commas")
	_ = fl.MarkHidden("labels")
}

// commaList is a flag that appends the parts of `a,b`.
type commaList struct{ into *[]string }

func (l commaList) String() string { return "" }
func (l commaList) Type() string   { return "list" }

func (l commaList) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			*l.into = append(*l.into, part)
		}
	}
	return nil
}

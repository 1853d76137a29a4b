package cli

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"iterion/bots"
	"iterion/bots/botz"
)

func newBotPack(f *Factory) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use: "pack PATH", Short: "Pack a bundle into one file, NAME.botz", Args: exactly("PATH"),
		Long: "Pack a bundle into an archive that can be copied into one of the folders where bots are looked\n" +
			"for. The bundle is checked first. Packing the same bundle again gives the same bytes, whoever\n" +
			"does it; what version control and Python leave in the folder stays out.",
		Example: "  iterion bot pack bots/fix-lint\n  iterion bot pack . -o ../dist/fix-lint.botz\n" +
			"  cp fix-lint.botz ~/work/other/bots/",
		ValidArgsFunction: folders,
		RunE:              func(_ *cobra.Command, args []string) error { return runBotPack(f, args[0], out) },
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write to this `file` (default: NAME.botz here)")
	return c
}

// folders completes the names of folders.
func folders(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// packedBot is the JSON of `bot pack`.
type packedBot struct {
	Slug    string   `json:"slug"`
	Version string   `json:"version,omitempty"`
	File    string   `json:"file"`
	Size    int64    `json:"size"`   // bytes of the archive
	SHA256  string   `json:"sha256"` // of the archive
	Files   int      `json:"files"`
	Bytes   int64    `json:"bytes"` // of the files, before compression
	LeftOut []string `json:"left_out"`
}

func runBotPack(f *Factory, dir, out string) error {
	b, err := bots.Load(dir)
	if err != nil {
		return err
	}
	if out == "" {
		out = b.Slug() + botz.Suffix
	}
	if !strings.HasSuffix(out, botz.Suffix) {
		return Usagef("-o %s: the name of an archive ends in %s", out, botz.Suffix)
	}
	p, err := bots.Pack(dir, out)
	if inner, ok := errors.AsType[*bots.InsideError](err); ok {
		return &ExitError{Code: ExitUsage, Err: inner, Hint: "give another place: -o ../" + filepath.Base(out)}
	}
	if err != nil {
		return err
	}
	f.warnPacked(p)
	return f.printPacked(p)
}

// warnPacked tells what makes a good archive less useful than it looks.
func (f *Factory) warnPacked(p bots.Packed) {
	m := p.Bot.Manifest
	if len(p.LeftOut) > 0 {
		f.Talk("left out: %s", strings.Join(p.LeftOut, ", "))
	}
	if base := strings.TrimSuffix(filepath.Base(p.File), botz.Suffix); m.CheckName(p.File, "archive", base) != nil {
		f.Warn("a folder of bots finds it as %s%s only: rename it there", m.Name, botz.Suffix)
	}
	var missing *bots.MissingProgramError
	if err := p.Bot.Launchable(); err != nil && !errors.As(err, &missing) {
		f.Warn("%s", err)
	}
}

func (f *Factory) printPacked(p bots.Packed) error {
	m := p.Bot.Manifest
	switch {
	case f.Global.JSON:
		return f.PrintJSON(packedBot{m.Name, m.Version, p.File, p.Size, p.SHA256, p.Files, p.Bytes, nonNil(p.LeftOut)})
	case f.Global.Quiet:
		f.Say("%s", p.File)
	default:
		f.Say("packed %s into %s", strings.TrimSpace(m.Name+" "+m.Version), p.File)
		f.Say("size   %d bytes, %s", p.Size, count(p.Files, "file"))
		f.Say("sha256 %s", p.SHA256)
	}
	return nil
}

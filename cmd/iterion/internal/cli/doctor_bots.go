package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"iterion/bots"
	"iterion/native"
	"iterion/native/doctor"
	"iterion/native/filelock"
)

// examineBots looks at the bots that a daemon of the store would start, and at
// where it would look for their programs.
func (f *Factory) examineBots(l native.Layout) ([]doctor.Finding, int) {
	reg, err := f.Bots()
	if err != nil {
		return nil, 0
	}
	path, whose := f.botPath(l)
	found := relativePath(path, whose)
	entries := reg.List()
	for _, e := range entries {
		if e.ShadowedBy != "" {
			continue
		}
		if b := examineBot(e, path, whose); b != nil {
			found = append(found, *b)
		}
	}
	return found, len(entries)
}

func examineBot(e bots.Entry, path, whose string) *doctor.Finding {
	if e.Err != nil {
		return &doctor.Finding{ID: "bot-broken", Severity: doctor.Warning, Where: e.Path,
			What:   fmt.Sprintf("the bot %s cannot be read: %s", e.Bot.Slug(), firstLine(e.Err)),
			Means:  "cards that name it are not started",
			Remedy: "`iterion bot validate " + e.Path + "` names every problem"}
	}
	err := e.Bot.LaunchableOn(path)
	var missing *bots.MissingProgramError
	switch {
	case errors.As(err, &missing):
		return missingProgram(e, missing, whose)
	case err != nil:
		return &doctor.Finding{ID: "bot-not-launchable", Severity: doctor.Note, Where: e.Path,
			What:   err.Error(),
			Means:  "cards that name it are not started",
			Remedy: "`iterion bot show " + e.Bot.Slug() + "` says what it is"}
	}
	return nil
}

// missingProgram tells of a bot whose program is not there. Of the bots that come
// with iterion nobody needs all: bot list says which could be started.
func missingProgram(e bots.Entry, missing *bots.MissingProgramError, whose string) *doctor.Finding {
	if e.Bot.Tier == bots.TierCatalog {
		return nil
	}
	if _, ok := e.Bot.Manifest.Run.Env["PATH"]; ok {
		whose = "its env"
	}
	return &doctor.Finding{ID: "bot-program-missing", Severity: doctor.Warning, Where: e.Path,
		What:  fmt.Sprintf("the bot %s cannot start: %s is not on the PATH of %s", missing.Bot, missing.Program, whose),
		Means: "cards that name it are not started",
		Remedy: cmp.Or(missing.Install,
			"install the program, start the daemon with a PATH that has it, or give its full path in run.command")}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// relativePath tells of parts of PATH that no bot is looked for in.
func relativePath(path, whose string) []doctor.Finding {
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) {
			continue
		}
		return []doctor.Finding{{ID: "path-relative", Severity: doctor.Note, Where: fmt.Sprintf("PATH of %s: %q", whose, dir),
			What:   "PATH has an entry that is not absolute",
			Means:  "it is passed over: it would mean the card's workspace, and whoever writes there would choose the program",
			Remedy: "give the folder's full path"}}
	}
	return nil
}

// botPath is the PATH that the bots get: the running daemon's, where that can be
// seen, with the folder of iterion behind it.
func (f *Factory) botPath(l native.Layout) (path, whose string) {
	path, whose = f.Env("PATH"), "this shell"
	if held, err := filelock.Look(l.DaemonLock()); err == nil && held != nil {
		if p, ok := pathOf(held.Holder.PID); ok {
			path, whose = p, "the running daemon"
		}
	}
	if exe, err := os.Executable(); err == nil {
		path += string(os.PathListSeparator) + filepath.Dir(exe)
	}
	return path, whose
}

// pathOf reads the PATH that a process was started with, where there is a /proc.
func pathOf(pid int) (string, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return "", false
	}
	for kv := range strings.SplitSeq(string(data), "\x00") {
		if p, ok := strings.CutPrefix(kv, "PATH="); ok {
			return p, true
		}
	}
	return "", false
}

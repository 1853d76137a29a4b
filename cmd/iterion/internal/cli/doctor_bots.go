package cli

import (
	"encoding/json"
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
	reg, err := f.daemonBots(l)
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

// daemonBots searches where the last daemon of the store did.
func (f *Factory) daemonBots(l native.Layout) (*bots.Registry, error) {
	var last struct {
		Bots struct {
			Paths []string `json:"paths"`
		} `json:"bots"`
	}
	data, err := os.ReadFile(l.ConfigFile())
	if err == nil && json.Unmarshal(data, &last) == nil && len(last.Bots.Paths) > 0 {
		return bots.NewRegistry(last.Bots.Paths), nil
	}
	return f.Bots()
}

func examineBot(e bots.Entry, path, whose string) *doctor.Finding {
	if e.Err != nil {
		return &doctor.Finding{ID: "bot-broken", Severity: doctor.Warning, Where: e.Path,
			What:   fmt.Sprintf("the bot %s cannot be read: %s", e.Bot.Slug(), firstLine(e.Err)),
			Means:  "cards that name it are not started",
			Remedy: "`iterion bot validate " + e.Path + "` names every problem"}
	}
	if err := e.Bot.Launchable(); err != nil {
		return &doctor.Finding{ID: "bot-not-launchable", Severity: doctor.Note, Where: e.Path,
			What:   err.Error(),
			Means:  "cards that name it are not started",
			Remedy: "`iterion bot show " + e.Bot.Slug() + "` says what it is"}
	}
	if err := program(e.Bot, path, whose); err != nil {
		return &doctor.Finding{ID: "bot-program-missing", Severity: doctor.Warning, Where: e.Path,
			What:   fmt.Sprintf("the bot %s cannot start: %v", e.Bot.Slug(), err),
			Means:  "each of its runs fails at once",
			Remedy: "install the program, start the daemon with a PATH that has it, or give its full path in run.command"}
	}
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// program looks for a bot's program as its supervisor will.
func program(b bots.Bot, path, whose string) error {
	if len(b.Manifest.Run.Command) == 0 {
		return nil // a script, for sh
	}
	if own, ok := b.Manifest.Run.Env["PATH"]; ok {
		path, whose = own, "its env"
	}
	name := b.Manifest.Run.Command[0]
	if filepath.IsAbs(name) {
		return runnable(name)
	}
	if strings.Contains(name, "/") {
		return nil // in the bundle, which Launchable has looked at
	}
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && runnable(filepath.Join(dir, name)) == nil {
			return nil
		}
	}
	return fmt.Errorf("%s is not on the PATH of %s", name, whose)
}

func runnable(file string) error {
	info, err := os.Stat(file)
	if err == nil && (info.IsDir() || info.Mode()&0o111 == 0) {
		err = errors.New(file + " is not executable")
	}
	return err
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

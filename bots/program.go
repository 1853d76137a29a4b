package bots

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
)

// MissingProgramError is a bot whose program is not installed.
type MissingProgramError struct {
	Bot, Program string
	Install      string // run.install of the manifest; may be empty
}

func (e *MissingProgramError) Error() string {
	s := fmt.Sprintf("bot %s: its program %s is not found on PATH; ", e.Bot, e.Program)
	if e.Install == "" {
		return s + "install it or give its full path in run.command"
	}
	return s + "to install it: " + e.Install
}

// checkPath looks for a command as the bot's supervisor will: on the PATH that
// the manifest or whoever launches gives, then beside iterion itself. Entries that
// are not absolute are passed over there, and so here.
func (b Bot) checkPath(name, path string) error {
	if own, ok := b.Manifest.Run.Env["PATH"]; ok {
		path = own
	}
	dirs := filepath.SplitList(cmp.Or(path, "/usr/local/bin:/usr/bin:/bin"))
	if exe, err := os.Executable(); err == nil {
		dirs = append(dirs, filepath.Dir(exe))
	}
	for _, dir := range dirs {
		if file := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(file) == nil {
			return nil
		}
	}
	return &MissingProgramError{Bot: b.Slug(), Program: name, Install: b.Manifest.Run.Install}
}

// checkFile looks at a command given by its path, so that a missing or
// non-executable one is named before a run is made.
func (b Bot) checkFile(path string) error {
	err := executable(path)
	if err == nil {
		return nil
	}
	if b.Manifest.Run.Install != "" && filepath.IsAbs(b.Manifest.Run.Command[0]) {
		return fmt.Errorf("bot %s: run.command: %w; to install it: %s", b.Slug(), err, b.Manifest.Run.Install)
	}
	return fmt.Errorf("bot %s: run.command: %w", b.Slug(), err)
}

func executable(path string) error {
	switch info, err := os.Stat(path); {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not executable, try chmod +x", path)
	}
	return nil
}

package supervise

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// program finds what the bot's command names: a word with a slash lies in the
// bundle, another one on the bot's PATH. The error is a sentence for people.
func (p plan) program(environ []string) (string, error) {
	if len(p.Argv) == 0 {
		return "", errors.New("the bot has no command")
	}
	name := p.Argv[0]
	if !strings.Contains(name, "/") {
		return p.onPath(name, environ)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.BotDir, name)
	}
	switch err := executable(name); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the bot's program %s does not exist", name)
	case err != nil:
		return "", fmt.Errorf("the bot's program %s cannot be run: %w", name, err)
	}
	return name, nil
}

func (p plan) onPath(name string, environ []string) (string, error) {
	for _, kv := range environ {
		path, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			// A relative or empty entry would mean the card's workspace: whoever
			// writes there must not choose the program.
			if file := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(file) == nil {
				return file, nil
			}
		}
	}
	if p.Install != "" {
		return "", fmt.Errorf("the bot's program %s is not found on PATH; to install it: %s", name, p.Install)
	}
	return "", fmt.Errorf("the bot's program %s is not found on PATH; install it or give its full path in run.command", name)
}

func executable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a folder")
	case info.Mode()&0o111 == 0:
		return errors.New("it is not executable, try chmod +x")
	}
	return nil
}

func checkWorkdir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the working folder %s does not exist", dir)
	case err != nil:
		return fmt.Errorf("the working folder %s cannot be used: %w", dir, err)
	case !info.IsDir():
		return fmt.Errorf("the working folder %s is not a folder", dir)
	}
	return nil
}

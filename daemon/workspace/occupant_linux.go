package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// FindOccupant returns a process that uses dir, or nil. dir is free of links.
// Processes of other users cannot be looked into; they cannot enter a private
// folder either.
func FindOccupant(dir string) (*Occupant, error) {
	names, err := readNames("/proc")
	if err != nil {
		return nil, fmt.Errorf("look for processes in %s: %w", dir, err)
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err == nil && uses(name, dir) {
			return &Occupant{PID: pid, Command: command(name)}, nil
		}
	}
	return nil, nil
}

// uses reports whether a process has anything inside dir. A process that ends
// meanwhile uses nothing.
func uses(pid, dir string) bool {
	proc := "/proc/" + pid
	if inside(link(proc+"/cwd"), dir) {
		return true
	}
	fds, _ := readNames(proc + "/fd")
	for _, fd := range fds {
		if inside(link(proc+"/fd/"+fd), dir) {
			return true
		}
	}
	return false
}

// readNames is os.ReadDir without the order, which nobody needs here.
func readNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func link(path string) string {
	target, _ := os.Readlink(path)
	return strings.TrimSuffix(target, " (deleted)")
}

func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}

func command(pid string) string {
	name, err := os.ReadFile("/proc/" + pid + "/comm")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(name))
}

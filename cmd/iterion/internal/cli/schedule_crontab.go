package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"iterion/sched/hostcron"
)

// crontabView is what the user's crontab says of the manifest's schedules.
type crontabView struct {
	present bool     // there is a block
	current bool     // it is the one that the manifest asks for
	lines   []string // of the block
	wanted  hostcron.Block
	note    hostcron.Installed // of the last install
	err     error              // it cannot be looked at
}

// has reports whether the schedule has a line in the crontab.
func (v crontabView) has(name string) bool {
	return slices.ContainsFunc(v.lines, func(line string) bool {
		return slices.Contains(strings.Fields(line), "--tick") && slices.Contains(strings.Fields(line), name)
	})
}

// crontab looks at the user's crontab. It changes nothing.
func (s *schedules) crontab(ctx context.Context) (v crontabView) {
	in, err := s.installer()
	if err != nil {
		return crontabView{err: err}
	}
	if note, known, err := hostcron.ReadInstalled(in.Paths); err == nil && known {
		v.note, in.Binary, in.Path = note, note.Binary, note.Path
	}
	have, err := in.Crontab.Read(ctx)
	if err != nil {
		v.err = err
		return v
	}
	v.lines, v.present = blockOf(have)
	v.wanted, v.err = in.Block()
	if v.err != nil {
		return v
	}
	then, err := hostcron.Rewrite(have, v.wanted.Text)
	v.err, v.current = err, v.present && bytes.Equal(then, have)
	if !v.present && len(v.wanted.Names) == 0 {
		v.current = true // nothing is asked for, and nothing is there
	}
	return v
}

// blockOf returns the lines of the managed block, without its markers.
func blockOf(crontab []byte) (lines []string, present bool) {
	for line := range strings.Lines(string(crontab)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == hostcron.BlockBegin:
			present = true
		case line == hostcron.BlockEnd:
			return lines, present
		case present:
			lines = append(lines, line)
		}
	}
	return lines, present
}

func (s *schedules) installer() (hostcron.Installer, error) {
	p, err := s.paths()
	if err != nil {
		return hostcron.Installer{}, err
	}
	exe, err := program()
	return hostcron.Installer{
		Paths: p, Host: time.Local, CronZone: hostcron.SystemZone(), Binary: exe, Path: s.f.Env("PATH"), CronHome: hostcron.CronHome(),
		NoFsync: s.f.Global.NoFsync, Now: s.f.Now,
	}, err
}

// program is the full path of this program as it was called: a link that points to
// the version of the day is a better thing to write down than that version.
func program() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return exe, nil
	}
	if called, err = filepath.Abs(called); err == nil && sameFile(called, exe) {
		return called, nil
	}
	return exe, nil
}

func sameFile(a, b string) bool {
	at, err := os.Stat(a)
	if err != nil {
		return false
	}
	bt, err := os.Stat(b)
	return err == nil && os.SameFile(at, bt)
}

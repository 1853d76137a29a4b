package hostcron

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// logMost is the size from which the log of a schedule's ticks begins anew.
const logMost = 1 << 20

// TrimLog moves the log of a schedule's ticks aside once it has grown beyond 1 MiB,
// in the place of the one moved before. The shell that started this tick has it open
// and goes on writing to the one moved; the next tick begins a new one.
func TrimLog(p Paths, name string) error {
	path := p.Log(name)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() <= logMost {
		return nil
	}
	if err == nil {
		err = os.Rename(path, path+".1")
	}
	if err != nil {
		return fmt.Errorf("log of schedule %s: %w", name, err)
	}
	return privateLog(p, name)
}

// privateLog makes the log of a schedule, so that the shell finds one that nobody
// else may read.
func privateLog(p Paths, name string) error {
	f, err := os.OpenFile(p.Log(name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("log of schedule %s: %w", name, err)
	}
	return f.Close()
}

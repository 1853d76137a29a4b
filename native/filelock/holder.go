package filelock

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// Holder is what an exclusive taker wrote into the lock's file.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// HeldError says that a lock could not be had, and who holds it.
type HeldError struct {
	Path    string
	Holder  Holder // zero when the file does not say
	Stopped bool   // the holder is suspended (ctrl-z); it will not let go by itself
}

func (e *HeldError) Error() string {
	if e.Holder.PID == 0 {
		return fmt.Sprintf("lock %s is held by another process", e.Path)
	}
	s := fmt.Sprintf("lock %s is held by pid %d on %s since %s",
		e.Path, e.Holder.PID, e.Holder.Host, e.Holder.Since.Format(time.RFC3339))
	if e.Stopped {
		s += ", which is stopped"
	}
	return s
}

// ReadHolder returns what the last exclusive taker of path wrote. It says
// nothing about whether the lock is still held.
func ReadHolder(path string) (Holder, error) {
	f, err := os.Open(path)
	if err != nil {
		return Holder{}, err
	}
	defer f.Close()
	return readHolder(f)
}

func held(f *os.File) error {
	e := &HeldError{Path: f.Name()}
	h, err := readHolder(f)
	if err != nil {
		return e // held all the same; the file does not say by whom
	}
	e.Holder = h
	host, err := os.Hostname()
	e.Stopped = err == nil && host == h.Host && stopped(h.PID)
	return e
}

func readHolder(f *os.File) (Holder, error) {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
	if err != nil {
		return Holder{}, err
	}
	var h Holder
	err = json.Unmarshal(data, &h)
	return h, err
}

func writeHolder(f *os.File) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	data, err := json.Marshal(Holder{PID: os.Getpid(), Host: host, Since: time.Now().UTC()})
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	// An older, longer name is rare, and cutting costs more than looking.
	if info, err := f.Stat(); err != nil || info.Size() == int64(len(data)) {
		return err
	}
	return f.Truncate(int64(len(data)))
}

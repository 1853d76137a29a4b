package workspace

import (
	"errors"
	"fmt"
)

// ErrUnprovable says that this system does not tell who uses a folder.
var ErrUnprovable = errors.New("this system does not tell which processes use a folder")

// Occupant is a process with its working folder or an open file inside a folder.
type Occupant struct {
	PID     int
	Command string
}

func (o *Occupant) String() string { return fmt.Sprintf("pid %d (%s)", o.PID, o.Command) }

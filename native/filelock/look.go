package filelock

import (
	"errors"
	"os"
)

// Look returns who holds path exclusively, nil when nobody does. Like Probe it
// takes nothing and writes nothing.
func Look(path string) (*HeldError, error) {
	busy, err := Probe(path)
	if err != nil || !busy {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var who *HeldError
	errors.As(held(f), &who)
	return who, nil
}

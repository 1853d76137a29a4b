//go:build !linux

package workspace

// FindOccupant cannot look into other processes here.
func FindOccupant(string) (*Occupant, error) { return nil, ErrUnprovable }

package cli

import "context"

// whyResident answers for a schedule that the store's daemon keeps, if there is one
// of that id.
func (s *schedules) whyResident(ctx context.Context, id string) (found bool, err error) {
	return false, nil
}

package cli

import "iterion/bots"

// Bots returns the registry over the folders of the working directory and the
// embedded catalog.
func (f *Factory) Bots() (*bots.Registry, error) {
	cwd, err := f.Cwd()
	if err != nil {
		return nil, err
	}
	return bots.NewRegistry(bots.DefaultPaths(cwd)), nil
}

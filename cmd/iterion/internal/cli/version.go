package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker; a plain `go install` leaves it to the module's.
var version string

// Version returns the program's version.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func newVersion(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: exactly(),
		RunE: func(*cobra.Command, []string) error { return runVersion(f) },
	}
}

func runVersion(f *Factory) error {
	if f.Global.JSON {
		return f.PrintJSON(map[string]string{
			"version": Version(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		})
	}
	f.Say("%s", versionLine())
	return nil
}

func versionLine() string {
	return fmt.Sprintf("iterion %s %s %s/%s", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

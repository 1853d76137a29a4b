// Package clipboard reads the clipboard of the desktop, by whatever program can.
//
// It stands in for the library that the text fields of Bubbles paste with. That
// one looks for its programs in a package init: every command that only links the
// screen would search the whole PATH four times and more, which is most of what a
// start may cost where the PATH is long or lies on a slow file system. Here the
// search waits for the first paste. The path of this module is the library's, for
// that is how Bubbles imports it.
package clipboard

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// ReadAll returns the text in the clipboard.
func ReadAll() (string, error) {
	for _, argv := range readers() {
		program, err := exec.LookPath(argv[0])
		if err != nil {
			continue
		}
		out, err := exec.Command(program, argv[1:]...).Output()
		if err != nil {
			return "", fmt.Errorf("read clipboard by %s: %w", argv[0], err)
		}
		return string(out), nil
	}
	return "", errors.New("read clipboard: no program here can")
}

// readers are the command lines that print the clipboard, the likeliest first.
func readers() [][]string {
	var argvs [][]string
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		argvs = append(argvs, []string{"wl-paste", "--no-newline"})
	}
	if os.Getenv("DISPLAY") != "" {
		argvs = append(argvs, []string{"xclip", "-out", "-selection", "clipboard"}, []string{"xsel", "--output", "--clipboard"})
	}
	return append(argvs, []string{"pbpaste"}, []string{"termux-clipboard-get"})
}

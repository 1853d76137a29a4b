package screen

import (
	"os"
	"os/exec"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
)

// OpenShell leaves the screen for the person's shell in a run's folder.
func (e *Env) OpenShell(dir string) tea.Cmd {
	return e.leaveFor(dir, e.getenv("SHELL", "/bin/sh"), nil)
}

// OpenEditor leaves the screen for the person's editor in a run's folder.
func (e *Env) OpenEditor(dir string) tea.Cmd {
	return e.leaveFor(dir, e.getenv("VISUAL", e.getenv("EDITOR", "vi")), []string{"."})
}

func (e *Env) getenv(name, none string) string {
	if e.Getenv != nil {
		if v := e.Getenv(name); v != "" {
			return v
		}
	}
	return none
}

// leaveFor runs a program on the terminal until it ends. The command line is given to
// a shell, since people keep options in these variables.
func (e *Env) leaveFor(dir, program string, args []string) tea.Cmd {
	switch info, err := os.Stat(dir); {
	case e.ReadOnly:
		e.May()
		return nil
	case dir == "":
		e.Say(kit.MarkQuiet, "this run has no folder")
		return nil
	case err != nil:
		e.Say(kit.MarkBad, "the folder is not here any more: "+kit.Line(dir))
		return nil
	case !info.IsDir():
		e.Say(kit.MarkBad, "no folder: "+kit.Line(dir))
		return nil
	}
	c := exec.Command("/bin/sh", append([]string{"-c", "exec " + program + ` "$@"`, "sh"}, args...)...)
	c.Dir = dir
	return tea.ExecProcess(c, func(err error) tea.Msg {
		if err != nil {
			return Done{Err: err}
		}
		return Done{}
	})
}

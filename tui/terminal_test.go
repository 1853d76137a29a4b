package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// childMode makes the test binary be the program that a terminal runs.
const childMode = "ITERION_TEST_SCREEN"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		err := child(mode)
		if err != nil {
			fmt.Fprintln(os.Stderr, "screen:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child shows the sample board and panics where the mode says so.
func child(mode string) error {
	src := &shaky{fake: newFake(), mode: mode}
	src.frames <- sampleFrame()
	o := Options{In: os.Stdin, Out: os.Stdout, By: "tester", Connect: func(context.Context, bool) (Source, error) { return src, nil }}
	return show(context.Background(), o, func(m *root) {
		if mode == "update" || mode == "view" {
			m.screens[screen.Daemon] = trap{mode}
		}
	})
}

// shaky panics in the goroutine that watches, or in a command.
type shaky struct {
	*fake
	mode string
}

func (s *shaky) Watch(ctx context.Context, frame func(control.Frame) error) error {
	return s.fake.Watch(ctx, func(f control.Frame) error {
		err := frame(f)
		if s.mode == "goroutine" {
			time.Sleep(500 * time.Millisecond) // the screen is up by then, or on its way
			panic("in a goroutine")
		}
		return err
	})
}

func (s *shaky) Refresh(context.Context, control.By) (control.Status, error) {
	panic("in a command")
}

// trap is a screen that panics once it comes to the front.
type trap struct{ mode string }

func (trap) Typing() bool                   { return false }
func (trap) Keys(*screen.Env) []key.Binding { return nil }
func (trap) Help(*screen.Env) []kit.Group   { return nil }
func (t trap) View(*screen.Env) []string {
	if t.mode == "view" {
		panic("in a drawing")
	}
	return nil
}

func (t trap) Update(_ *screen.Env, msg tea.Msg) tea.Cmd {
	if _, ok := msg.(screen.Show); ok && t.mode == "update" {
		panic("in an update")
	}
	return nil
}

// Wherever it panics, the terminal is given back as it was, on its own lines, and
// standard error says what and where.
func TestAPanicGivesTheTerminalBack(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("SKIPPED: no tmux, so nothing was shown about a real terminal")
	}
	for mode, key := range map[string]string{"goroutine": "", "command": "r", "update": "6", "view": "6"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script := fmt.Sprintf("stty -a >before; %s=%s '%s' 2>errors; echo $? >code; stty -a >after; echo it is over; sleep 60", childMode, mode, os.Args[0])
			tmux := func(args ...string) string {
				cmd := exec.Command("tmux", append([]string{"-S", filepath.Join(dir, "s"), "-f", "/dev/null"}, args...)...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "LANG=C.UTF-8")
				out, _ := cmd.CombinedOutput()
				return string(out)
			}
			t.Cleanup(func() { tmux("kill-server") })
			tmux("new-session", "-d", "-x", "100", "-y", "30", "sh", "-c", script)
			read := func(name string) string {
				data, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
				return string(data)
			}
			wait := func(what string, done func() bool) {
				for deadline := time.Now().Add(60 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
					if time.Now().After(deadline) {
						t.Fatalf("never %s:\n%s\n%s", what, tmux("capture-pane", "-p"), read("errors"))
					}
				}
			}
			if key != "" {
				wait("on screen", func() bool { return strings.Contains(tmux("capture-pane", "-p"), "Cache the manifest") })
				tmux("send-keys", key)
			}
			wait("over", func() bool { return strings.Contains(tmux("capture-pane", "-p"), "it is over") })
			if b, a := read("before"), read("after"); b == "" || b != a {
				t.Errorf("the terminal was\n%sand is\n%s", b, a)
			}
			if code := strings.TrimSpace(read("code")); code != "1" {
				t.Errorf("exit code %s", code)
			}
			if errs := read("errors"); !strings.Contains(errs, "panic: in a") || !strings.Contains(errs, "terminal_test.go") {
				t.Errorf("standard error does not say where: %s", errs)
			}
			if seen := strings.TrimSpace(tmux("capture-pane", "-p")); seen != "it is over" {
				t.Errorf("the screen was not left clean:\n%s", seen)
			}
			if flags := tmux("display-message", "-p", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"); strings.TrimSpace(flags) != "0 0 1" {
				t.Errorf("alternate screen, mouse, cursor: %s", flags)
			}
		})
	}
}

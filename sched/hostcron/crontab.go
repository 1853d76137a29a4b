package hostcron

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// crontabTimeout bounds one call of the crontab program.
const crontabTimeout = 20 * time.Second

// Crontab is the crontab program.
type Crontab struct {
	Program string   // empty: crontab, by PATH
	Env     []string // nil: the process's
}

// Read returns the user's crontab; none is empty.
func (c Crontab) Read(ctx context.Context) ([]byte, error) {
	out, said, err := c.call(ctx, nil, "-l")
	if err != nil && hasNone(said) {
		return nil, nil
	}
	if err != nil {
		return nil, c.failed("read the crontab", said, err)
	}
	return out, nil
}

// hasNone tells the answer of a crontab program that there is no crontab. The words
// are those of Vixie's and its heirs, of fcron and of busybox.
func hasNone(said string) bool {
	said = strings.ToLower(said)
	return strings.Contains(said, "no crontab for") || strings.Contains(said, "no fcrontab") ||
		strings.Contains(said, "can't open") && strings.Contains(said, "no such file")
}

// write replaces the user's crontab.
func (c Crontab) write(ctx context.Context, text []byte) error {
	if _, said, err := c.call(ctx, text, "-"); err != nil {
		return c.failed("write the crontab", said, err)
	}
	return nil
}

// replace writes a crontab if it is still what was read, and reads it back.
func (c Crontab) replace(ctx context.Context, was, is []byte) error {
	now, err := c.Read(ctx)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, was) {
		return fmt.Errorf("write the crontab: it %w (by `crontab -e`?)", ErrConflict)
	}
	if err := c.write(ctx, is); err != nil {
		return fmt.Errorf("%w; look whether it is whole", err)
	}
	if now, err = c.Read(ctx); err != nil {
		return fmt.Errorf("it was written; look whether it is right: %w", err)
	}
	// Some programs put lines of their own in front.
	switch {
	case bytes.HasSuffix(now, is):
		return nil
	case len(now) > 0 && now[len(now)-1] != '\n' && bytes.HasPrefix(is, now) && !bytes.Equal(now, was): // nobody's edit
		return fmt.Errorf("write the crontab: the crontab program kept only the first %d of %d bytes", len(now), len(is))
	default:
		return fmt.Errorf("write the crontab: it does not read back as it was written, it %w or the crontab program refused a line", ErrConflict)
	}
}

func (c Crontab) call(ctx context.Context, in []byte, args ...string) (out []byte, said string, err error) {
	program := c.Program
	if program == "" {
		program = usualProgram(os.Getenv("PATH"))
	}
	ctx, cancel := context.WithTimeout(ctx, crontabTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	// What it says is looked at, so it must not speak another language.
	cmd.Env = append(slices.Clone(env), "LC_ALL=C", "LANG=C", "LANGUAGE=C")
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that a wrapper's children go with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &stdout, &stderr
	err = cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", spanText(crontabTimeout))
	} else if ctx.Err() != nil {
		err = ctx.Err()
	}
	return stdout.Bytes(), strings.TrimSpace(stderr.String()), err
}

// usualProgram is found by PATH. An environment without one, as a cron or a service
// may give, has the shell's usual places all the same.
func usualProgram(path string) string {
	if path == "" {
		for _, p := range []string{"/usr/bin/crontab", "/bin/crontab"} {
			if _, err := os.Stat(p); err == nil {
				return p
			}
		}
	}
	return "crontab"
}

func (c Crontab) failed(act, said string, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w: install cron, or take the lines of `iterion schedule install --print` to whatever starts jobs here", act, ErrNoCrontab)
	}
	if said != "" {
		return fmt.Errorf("%s: %w: %s", act, err, said)
	}
	return fmt.Errorf("%s: %w", act, err)
}

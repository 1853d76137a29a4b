package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"iterion/sched/gate"
)

// A real cron daemon fires a schedule of another zone whose paths hold blanks and a
// %, and the user's own lines, above and below the block, see one and the same
// environment. It takes up to three minutes, for cron has no smaller steps.
func TestARealCronFiresASchedule(t *testing.T) {
	if os.Getenv("ITERION_TEST_CRON") == "" {
		t.Skip("SKIPPED: set ITERION_TEST_CRON=1, as root on a Debian, to let a real cron fire a schedule of a user of its own")
	}
	c := newCronUser(t)
	c.startCron()
	c.must("above", "crontab", "-")
	c.must("", c.bin, "init", "-q")
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	slot := time.Now().Truncate(time.Minute).Add(time.Minute)
	if time.Until(slot) < 30*time.Second {
		slot = slot.Add(time.Minute)
	}
	there := slot.In(kolkata)
	c.must("", c.bin, "schedule", "--manifest", c.manifest, "add", "odd", "--tz", "Asia/Kolkata", "--bot", "shell",
		"--cron", fmt.Sprintf("%d %d * * *", there.Minute(), there.Hour()),
		"--var", "command=printf %s \"$PATH\" >"+shellQuoted(c.path("bot.path")))
	c.must("", c.bin, "schedule", "--manifest", c.manifest, "install")
	block := c.must("", "crontab", "-l")
	c.must(block+"below", "crontab", "-")
	c.must("", c.bin, "schedule", "--manifest", c.manifest, "install")
	if now := c.must("", "crontab", "-l"); now != block+c.own("below") {
		t.Errorf("the second install made of\n%s\nthis:\n%s", block+c.own("below"), now)
	}
	t.Logf("the crontab:\n%s", c.must("", "crontab", "-l"))

	deadline := slot.Add(90 * time.Second)
	for !c.has("bot.path") || !c.has("above.env") || !c.has("below.env") {
		if time.Now().After(deadline) {
			t.Fatalf("nothing came of it; audit:\n%s", c.must("", c.bin, "schedule", "--manifest", c.manifest, "audit"))
		}
		time.Sleep(200 * time.Millisecond)
	}
	if got := c.read("bot.path"); !strings.HasPrefix(got, "/opt/of-the-install:/usr/bin:/bin") {
		t.Errorf("the bot's PATH is %q", got)
	}
	above, below := c.read("above.env"), c.read("below.env")
	if above != below || !strings.Contains(above, "OWN=kept\n") || strings.Contains(above, "ITERION") || !strings.Contains(above, "PATH=/usr/bin:/bin\n") {
		t.Errorf("above the block:\n%s\nbelow it:\n%s", above, below)
	}
	var records []gate.Record
	if err := json.Unmarshal([]byte(c.must("", c.bin, "schedule", "--manifest", c.manifest, "audit", "--json")), &records); err != nil {
		t.Fatal(err)
	}
	if len(records) != 1 || records[0].Decision != gate.Fired || !records[0].Slot.Equal(slot) || records[0].At.Sub(slot) > time.Minute {
		t.Errorf("the audit, for the slot %s: %+v", slot, records)
	}
	if log := c.read(filepath.Join("my 100% tools", "logs", "schedule-odd.log")); !strings.Contains(log, "fired") {
		t.Errorf("the log of the ticks says %q", log)
	}
}

// cronUser is a user of the system whom a test made, with its own home and crontab.
type cronUser struct {
	t             *testing.T
	name, home    string
	bin, manifest string
	id            syscall.Credential
}

func newCronUser(t *testing.T) *cronUser {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root can make a user and start a cron")
	}
	dir, err := os.MkdirTemp("", "realcron")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := &cronUser{t: t, name: fmt.Sprint("itcron", os.Getpid()), home: filepath.Join(dir, "home")}
	c.root("useradd", "--system", "--create-home", "--home-dir", c.home, "--shell", "/bin/sh", c.name)
	t.Cleanup(func() {
		_ = exec.Command("/usr/bin/crontab", "-u", c.name, "-r").Run() // there may be none
		c.root("userdel", c.name)
	})
	u, err := user.Lookup(c.name)
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	c.id = syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	tools := filepath.Join(c.home, "my 100% tools")
	c.must("", "mkdir", tools)
	c.bin, c.manifest = filepath.Join(tools, "iterion"), filepath.Join(tools, "schedules.yaml")
	built := filepath.Join(dir, "iterion")
	goBuild(t, ".", built, ".")
	data, err := os.ReadFile(built)
	if err == nil {
		err = os.WriteFile(c.bin, data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// startCron starts a cron of the test's own, unless one runs already.
func (c *cronUser) startCron() {
	c.t.Helper()
	if _, err := exec.LookPath("cron"); err != nil {
		c.root("apt-get", "install", "-y", "-qq", "--no-install-recommends", "cron")
	}
	var said bytes.Buffer
	cmd := exec.Command("cron", "-f")
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
		if !strings.Contains(said.String(), "can't lock") {
			c.t.Fatalf("cron does not start: %s", said.String())
		}
		c.t.Logf("the host's own cron is used: %s", said.String())
	case <-time.After(2 * time.Second):
		c.t.Cleanup(func() {
			_ = cmd.Process.Kill()
			<-ended
		})
	}
}

func (c *cronUser) root(name string, args ...string) {
	c.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		c.t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

// must runs a command as the user, in its home. in is a text, at whose end "above" or
// "below" stands for the user's own lines there.
func (c *cronUser) must(in, name string, args ...string) string {
	c.t.Helper()
	for _, where := range []string{"above", "below"} {
		if rest, ok := strings.CutSuffix(in, where); ok {
			in = rest + c.own(where)
		}
	}
	// The PATH of the tests leads to a crontab program of theirs.
	cmd := exec.Command("/usr/bin/env", append([]string{name}, args...)...)
	cmd.Dir = c.home
	cmd.Env = []string{"HOME=" + c.home, "SHELL=/bin/sh", "PATH=/opt/of-the-install:/usr/bin:/bin"}
	cmd.Stdin = strings.NewReader(in)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &c.id}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		c.t.Fatalf("%s %v: %v\n%s%s", name, args, err, out.String(), said.String())
	}
	return out.String()
}

func (c *cronUser) own(where string) string {
	lines := "* * * * * env | sort >" + shellQuoted(c.path(where+".env")) + "\n"
	if where == "above" {
		return "OWN=kept\nMAILTO=\"\"\n" + lines
	}
	return lines
}

func (c *cronUser) path(name string) string { return filepath.Join(c.home, name) }

// has reports whether a file is there and holds something.
func (c *cronUser) has(name string) bool {
	info, err := os.Stat(c.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.t.Fatal(err)
	}
	return err == nil && info.Size() > 0
}

func (c *cronUser) read(name string) string {
	c.t.Helper()
	data, err := os.ReadFile(c.path(name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

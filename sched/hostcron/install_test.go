package hostcron

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"iterion/native/proctree"
)

// fakeCrontab is a crontab program that keeps its crontab in a folder of the test.
// before-N and after-N are scripts that it runs around its N-th call.
type fakeCrontab struct {
	t   *testing.T
	dir string
}

const fakeScript = `#!/bin/sh
cd "$FAKE" || exit 9
n=$(($(cat calls) + 1)); echo $n >calls
[ "$LC_ALL" = C ] || { echo "pas de crontab pour toi" >&2; exit 1; }
[ -f before-$n ] && . ./before-$n
case "$1" in
-l) [ -f tab ] || { echo "no crontab for tester" >&2; exit 1; }
	cat tab ;;
-) cat >new && mv new tab ;;
*) echo "crontab: usage error: $1" >&2; exit 2 ;;
esac
[ -f after-$n ] && . ./after-$n
exit 0
`

func newFake(t *testing.T) fakeCrontab {
	f := fakeCrontab{t, t.TempDir()}
	f.put("crontab", fakeScript)
	f.put("calls", "0")
	if err := os.Chmod(filepath.Join(f.dir, "crontab"), 0o700); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f fakeCrontab) put(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f fakeCrontab) tab() string {
	data, err := os.ReadFile(filepath.Join(f.dir, "tab"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		f.t.Fatal(err)
	}
	return string(data)
}

func (f fakeCrontab) program() Crontab {
	return Crontab{Program: filepath.Join(f.dir, "crontab"), Env: []string{"PATH=/usr/bin:/bin", "FAKE=" + f.dir, "LC_ALL=fr_FR.UTF-8"}}
}

const oneRow = "schedules:\n  - {name: nightly, cron: '0 2 * * *', bot: b}\n"

func newInstaller(t *testing.T, f fakeCrontab, text string) Installer {
	return Installer{Paths: manifestOf(t, text), Host: time.UTC, Binary: "/opt/iterion", Path: "/opt/bin:/usr/bin",
		Crontab: f.program(), NoFsync: true}
}

func mustInstall(t *testing.T, i Installer) Result {
	t.Helper()
	r, err := i.Install(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestInstallIsIdempotentAndUninstallLeavesTheUsersLines(t *testing.T) {
	const user = "MAILTO=me\n# mine\n0 1 * * * echo 100\\%\n"
	f := newFake(t)
	f.put("tab", user)
	i := newInstaller(t, f, oneRow)
	r := mustInstall(t, i)
	if !r.Changed || f.tab() != user+string(r.Block.Text) || r.Warnings != nil {
		t.Errorf("%+v\n%s", r, f.tab())
	}
	if kept, err := os.ReadFile(r.Backup); err != nil || string(kept) != user {
		t.Errorf("backup %q, %v", kept, err)
	}
	again := mustInstall(t, i)
	if again.Changed || again.Backup != "" || f.tab() != user+string(r.Block.Text) {
		t.Errorf("again: %+v\n%s", again, f.tab())
	}
	gone, err := i.Uninstall(t.Context())
	if err != nil || !gone.Changed || f.tab() != user {
		t.Errorf("uninstall: %+v, %v\n%s", gone, err, f.tab())
	}
	if gone, err = i.Uninstall(t.Context()); err != nil || gone.Changed {
		t.Errorf("uninstall again: %+v, %v", gone, err)
	}
}

func TestInstallIntoNoCrontabWhateverTheLanguage(t *testing.T) {
	f := newFake(t)
	r := mustInstall(t, newInstaller(t, f, oneRow))
	if !r.Changed || r.Backup != "" || f.tab() != string(r.Block.Text) {
		t.Errorf("%+v\n%s", r, f.tab())
	}
}

func TestInstallNotesWhatTheTicksNeed(t *testing.T) {
	i := newInstaller(t, newFake(t), oneRow)
	if _, known, err := ReadInstalled(i.Paths); known || err != nil {
		t.Errorf("before: %v, %v", known, err)
	}
	i.Now = func() time.Time { return time.Date(2031, 1, 2, 3, 4, 5, 0, time.UTC) }
	mustInstall(t, i)
	n, known, err := ReadInstalled(i.Paths)
	if err != nil || !known || n != (Installed{Path: "/opt/bin:/usr/bin", Binary: "/opt/iterion", Zone: "UTC", At: i.Now()}) {
		t.Errorf("%+v, %v, %v", n, known, err)
	}
	if s, known, err := ReadState(i.Paths, "nightly"); err != nil || !known || !s.ArmedAt.Equal(i.Now()) {
		t.Errorf("not armed: %+v, %v", s, err)
	}
	if info, err := os.Stat(i.Paths.Log("nightly")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("log: %v, %v", info, err)
	}
	// One that had its line before stays armed as it is.
	was := i.Now()
	i.Now = func() time.Time { return was.Add(time.Hour) }
	mustInstall(t, i)
	if s, _, _ := ReadState(i.Paths, "nightly"); !s.ArmedAt.Equal(was) {
		t.Errorf("armed again at %s", s.ArmedAt)
	}
}

func TestInstallDoesNotWriteOverAnEdit(t *testing.T) {
	f := newFake(t)
	f.put("tab", "# old\n")
	// The first call reads; somebody saves before the second one compares.
	f.put("before-2", "echo '# edited' >tab\n")
	r := mustInstall(t, newInstaller(t, f, oneRow))
	if want := "# edited\n" + string(r.Block.Text); f.tab() != want {
		t.Errorf("got\n%swant\n%s", f.tab(), want)
	}
	if kept, err := os.ReadFile(r.Backup); err != nil || string(kept) != "# edited\n" {
		t.Errorf("backup %q, %v", kept, err)
	}
}

func TestInstallGivesUpOnACrontabThatNeverRests(t *testing.T) {
	f := newFake(t)
	for n := range 2 * attempts {
		f.put(fmt.Sprintf("before-%d", n+1), fmt.Sprintf("echo '# edit %d' >tab\n", n+1))
	}
	_, err := newInstaller(t, f, oneRow).Install(t.Context())
	if want := fmt.Sprintf("# edit %d\n", 2*attempts); !errors.Is(err, ErrConflict) || f.tab() != want {
		t.Errorf("%v\n%s", err, f.tab())
	}
}

func TestInstallFindsThatItsBlockWasWrittenOver(t *testing.T) {
	f := newFake(t)
	// An editor that was open all along saves right after the write, once.
	f.put("after-3", "echo '# saved' >tab\n")
	r := mustInstall(t, newInstaller(t, f, oneRow))
	if want := "# saved\n" + string(r.Block.Text); f.tab() != want {
		t.Errorf("got\n%swant\n%s", f.tab(), want)
	}
}

// A crontab program that keeps the beginning alone has damaged the crontab. Trying
// again would take that for the user's, and push the good copy out.
func TestInstallSaysWhereTheCrontabIsThatWasCutShort(t *testing.T) {
	for name, hook := range map[string]string{
		"and says so":        "head -c 20 >tab; echo 'disk full' >&2; exit 1\n",
		"and says it is all": "head -c 20 >tab; exit 0\n",
	} {
		f := newFake(t)
		f.put("tab", "# mine\n")
		f.put("before-3", hook)
		i := newInstaller(t, f, oneRow)
		r, err := i.Install(t.Context())
		if err == nil || errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "as it was it is in "+r.Backup) {
			t.Errorf("%s: %v", name, err)
		}
		if kept, err := os.ReadFile(r.Backup); err != nil || string(kept) != "# mine\n" {
			t.Errorf("%s: backup %q, %v", name, kept, err)
		}
	}
}

func TestCrontabProgramThatHangsGoesWithItsChildren(t *testing.T) {
	f := newFake(t)
	f.put("before-1", "sleep 600 & echo $! >new-child; mv new-child child; wait\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read := make(chan error, 1)
	go func() {
		_, err := f.program().Read(ctx)
		read <- err
	}()
	var child []byte
	eventually(t, "the program has a child", func() (err error) {
		child, err = os.ReadFile(filepath.Join(f.dir, "child"))
		return err
	})
	pid, err := strconv.Atoi(strings.TrimSpace(string(child)))
	if err != nil {
		t.Fatal(err)
	}
	process, err := proctree.Identify(pid)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-read; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	eventually(t, "the child is gone", func() error {
		if alive, err := process.Alive(); alive || err != nil {
			return fmt.Errorf("alive: %v, %w", alive, err)
		}
		return nil
	})
}

func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 20 s: %v", what, err)
		}
	}
}

func TestInstallRefusesWithoutTouchingTheCrontab(t *testing.T) {
	for name, c := range map[string]struct {
		manifest, tab string
		hook          string // of the first call
		is            error
		says          string
	}{
		"damaged":     {oneRow, BlockBegin + "\nx\n", "", ErrDamaged, "crontab -e"},
		"no manifest": {"schedules: [", "# mine\n", "", ErrInvalid, "is no YAML"},
		"not allowed": {oneRow, "# mine\n", "echo 'You (tester) are not allowed to use this program (crontab)' >&2; exit 1\n", nil, "are not allowed"},
	} {
		f := newFake(t)
		f.put("tab", c.tab)
		if c.hook != "" {
			f.put("before-1", c.hook)
		}
		_, err := newInstaller(t, f, c.manifest).Install(t.Context())
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if f.tab() != c.tab {
			t.Errorf("%s: the crontab is\n%s", name, f.tab())
		}
	}
}

func TestInstallWithoutACrontabProgramSaysWhatElseToDo(t *testing.T) {
	i := newInstaller(t, newFake(t), oneRow)
	i.Crontab = Crontab{Program: filepath.Join(t.TempDir(), "crontab")}
	_, err := i.Install(t.Context())
	if !errors.Is(err, ErrNoCrontab) || !strings.Contains(err.Error(), "install --print") {
		t.Errorf("got %v", err)
	}
	if _, err := i.Block(); err != nil {
		t.Errorf("the block needs the program: %v", err)
	}
}

func TestInstallFindsTheProgramByPath(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := (Crontab{}).Read(t.Context()); !errors.Is(err, ErrNoCrontab) {
		t.Errorf("on an empty PATH: %v", err)
	}
	f := newFake(t)
	f.put("tab", "# found\n")
	t.Setenv("PATH", f.dir+":/usr/bin:/bin")
	t.Setenv("FAKE", f.dir)
	if got, err := (Crontab{}).Read(t.Context()); err != nil || string(got) != "# found\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestReadKnowsHowCrontabsSayThatThereIsNone(t *testing.T) {
	for said, none := range map[string]bool{
		"no crontab for tester": true, "crontab: no crontab for tester": true, "user tester has no fcrontab": true,
		"crontab: can't open 'tester': No such file or directory": true,
		"crontab: can't open 'tester': Permission denied":         false, "": false, "cannot connect": false,
	} {
		f := newFake(t)
		f.put("before-1", "echo \""+said+"\" >&2; exit 1\n")
		got, err := f.program().Read(t.Context())
		if (err == nil) != none || len(got) != 0 {
			t.Errorf("%q: %q, %v", said, got, err)
		}
	}
}

func TestInstallWarnsOfSettingsAboveTheBlock(t *testing.T) {
	for line, says := range map[string]string{
		"CRON_TZ=Asia/Tokyo": "CRON_TZ=Asia/Tokyo", " TZ = \"UTC\"": "TZ=UTC", "SHELL=/usr/bin/fish": "SHELL=/usr/bin/fish",
		"HOME=/srv": "HOME=/srv", "SHELL=/bin/bash": "", "PATH=/x": "", "MAILTO=me": "", "#TZ=UTC": "", "0 1 * * * TZ=UTC date": "",
	} {
		got := strings.Join(warnings([]byte("# one\n"+line+"\n"+someBlock)), "\n")
		if says == "" && got != "" || !strings.Contains(got, says) || says != "" && !strings.HasPrefix(got, "line 2 ") {
			t.Errorf("%q: %q", line, got)
		}
		if got := warnings([]byte(someBlock + line + "\n")); got != nil {
			t.Errorf("%q below the block: %q", line, got)
		}
	}
	f := newFake(t)
	f.put("tab", "TZ=UTC\n")
	if r := mustInstall(t, newInstaller(t, f, oneRow)); len(r.Warnings) != 1 {
		t.Errorf("install: %q", r.Warnings)
	}
}

func TestInstallKeepsTheNewestBackups(t *testing.T) {
	f := newFake(t)
	i := newInstaller(t, f, oneRow)
	at := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	i.Now = func() time.Time { at = at.Add(time.Second); return at }
	for n := range backupsKept + 3 {
		f.put("tab", fmt.Sprintf("# %d\n", n))
		mustInstall(t, i)
	}
	kept, err := os.ReadDir(i.Paths.Backups())
	if err != nil || len(kept) != backupsKept {
		t.Fatalf("%v, %v", kept, err)
	}
	for n, e := range kept {
		path := filepath.Join(i.Paths.Backups(), e.Name())
		data, err := os.ReadFile(path)
		info, _ := e.Info()
		if want := fmt.Sprintf("# %d\n", n+3); err != nil || string(data) != want || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %q, %v, want %q", path, data, err, want)
		}
	}
}

func TestTrimLogMovesALogThatHasGrownAside(t *testing.T) {
	p := manifestOf(t, oneRow)
	if err := TrimLog(p, "nightly"); err != nil {
		t.Errorf("no log: %v", err)
	}
	if err := os.MkdirAll(p.logs(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{logMost, logMost + 1} {
		if err := os.WriteFile(p.Log("nightly"), make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := TrimLog(p, "nightly"); err != nil {
			t.Fatal(err)
		}
		old, _ := os.Stat(p.Log("nightly") + ".1")
		now, err := os.Stat(p.Log("nightly"))
		if moved := old != nil; err != nil || moved != (size > logMost) || moved && (old.Size() != size || now.Size() != 0 || now.Mode().Perm() != 0o600) {
			t.Errorf("%d bytes: %v, %v, %v", size, old, now, err)
		}
	}
}

package workspace

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"iterion/daemon/dispatch"
	"iterion/native/board"
)

func open(t *testing.T, o Options) *Manager {
	t.Helper()
	if o.Root == "" {
		o.Root = t.TempDir()
	}
	if o.Live == nil {
		o.Live = func(string) (bool, error) { return false, nil }
	}
	o.Log = slog.New(slog.DiscardHandler)
	m, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func prepare(t *testing.T, m *Manager, id, runID string) string {
	t.Helper()
	dir, err := m.Prepare(t.Context(), board.Issue{ID: id}, runID, false)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestKeyOfHostileIDs(t *testing.T) {
	cases := []struct{ id, want string }{
		{"plain-1.2_x", "plain-1.2_x"},
		{"native:0a", "native_0a-"},
		{"..", "_.-"},
		{".marks", "_marks-"},
		{"../../etc", "_._.._etc-"},
		{"a/b", "a_b-"},
		{"nul\x00line\n", "nul_line_-"},
		{"ünïcode", "_n_code-"},
		{"\xff\xfe", "__-"},
		{strings.Repeat("x", 4000), strings.Repeat("x", keyMax) + "-"},
	}
	for _, tc := range cases {
		got, err := Key(tc.id)
		if err != nil || !strings.HasPrefix(got, tc.want) {
			t.Errorf("Key(%q) = %q, %v; want %q…", tc.id, got, err, tc.want)
		}
		if got != tc.id && len(got) != len(tc.want)+16 {
			t.Errorf("Key(%q) = %q has no hash of 64 bits", tc.id, got)
		}
	}
	if _, err := Key(""); err == nil {
		t.Error("the empty id got a key")
	}
}

func TestKeyIsAlwaysOnePlainName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		if a == "" || b == "" {
			return
		}
		ka, _ := Key(a)
		kb, _ := Key(b)
		if filepath.Base(ka) != ka || strings.HasPrefix(ka, ".") || len(ka) > 255 {
			t.Fatalf("Key(%q) = %q", a, ka)
		}
		if a != b && ka == kb {
			t.Fatalf("%q and %q share %q", a, b, ka)
		}
	})
}

func TestPrepareKeepsFolderAndGenerationOverRuns(t *testing.T) {
	m := open(t, Options{})
	dir := prepare(t, m, "native:1", "r1")
	if err := os.WriteFile(filepath.Join(dir, "work"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first := markOf(t, m, "native:1")
	if err := m.Release(t.Context(), board.Issue{ID: "native:1"}, "r1", true, true); err != nil {
		t.Fatal(err)
	}
	if again := prepare(t, m, "native:1", "r2"); again != dir {
		t.Errorf("second run works in %s, first in %s", again, dir)
	}
	second := markOf(t, m, "native:1")
	if second.Generation != first.Generation || second.RunID != "r2" {
		t.Errorf("mark %+v after %+v", second, first)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder holds more than the bot's work: %v", entries)
	}
}

func markOf(t *testing.T, m *Manager, id string) Mark {
	t.Helper()
	key, _ := Key(id)
	mark, err := readMark(m.markPath(key))
	if err != nil || mark == nil {
		t.Fatalf("mark of %s: %v %v", id, mark, err)
	}
	return *mark
}

func TestPrepareRefusesFolderOfLiveRun(t *testing.T) {
	live := true
	m := open(t, Options{Live: func(id string) (bool, error) { return live && id == "r1", nil }})
	prepare(t, m, "c", "r1")
	_, err := m.Prepare(t.Context(), board.Issue{ID: "c"}, "r2", false)
	var busy *dispatch.WorkspaceBusyError
	if !errors.As(err, &busy) || busy.By != "run r1" {
		t.Errorf("got %v", err)
	}
	prepare(t, m, "c", "r1") // its own run may come back
	live = false
	prepare(t, m, "c", "r2")
}

func TestPrepareConservesWhenTheRunCannotBeRead(t *testing.T) {
	m := open(t, Options{Live: func(string) (bool, error) { return false, errors.New("disk on fire") }})
	prepare(t, m, "c", "r1")
	if dir, err := m.Prepare(t.Context(), board.Issue{ID: "c"}, "r2", false); err == nil {
		t.Errorf("handed out %s", dir)
	}
}

func TestPrepareRefusesFolderWithAProcessInside(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux tells which processes use a folder")
	}
	m := open(t, Options{})
	dir := prepare(t, m, "c", "r1")
	end := occupy(t, dir)
	_, err := m.Prepare(t.Context(), board.Issue{ID: "c"}, "r2", false)
	var busy *dispatch.WorkspaceBusyError
	if !errors.As(err, &busy) || !strings.Contains(busy.By, "cat") {
		t.Errorf("with its working folder inside: %v", err)
	}
	end()
	f, err := os.Create(filepath.Join(dir, "open"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Prepare(t.Context(), board.Issue{ID: "c"}, "r2", false); !errors.As(err, &busy) {
		t.Errorf("with an open file inside: %v", err)
	}
	f.Close()
	prepare(t, m, "c", "r2")
}

// occupy starts a process that works in dir until end is called.
func occupy(t *testing.T, dir string) (end func()) {
	t.Helper()
	cmd := exec.Command("cat")
	cmd.Dir = dir
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := false
	end = func() {
		if !done {
			done = true
			in.Close()
			_ = cmd.Wait()
		}
	}
	t.Cleanup(end)
	return end
}

func TestPrepareRefusesLinksAndFilesInPlaceOfTheFolder(t *testing.T) {
	m := open(t, Options{})
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(m.root, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(m.root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"linked", "file"} {
		if dir, err := m.Prepare(t.Context(), board.Issue{ID: id}, "r", false); err == nil {
			t.Errorf("%s: handed out %s", id, dir)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Errorf("wrote outside of the root: %v", entries)
	}
}

func TestPrepareRefusesFolderOfAnotherCard(t *testing.T) {
	m := open(t, Options{})
	prepare(t, m, "a:b", "r1")
	key, _ := Key("a:b")
	if dir, err := m.Prepare(t.Context(), board.Issue{ID: key}, "r2", false); err == nil {
		t.Errorf("two cards share %s", dir)
	}
}

func TestUnreadableMarkIsWrittenAnew(t *testing.T) {
	m := open(t, Options{})
	prepare(t, m, "c", "r1")
	if err := os.WriteFile(m.markPath("c"), []byte(`{"issue_id": "c`), 0o600); err != nil {
		t.Fatal(err)
	}
	prepare(t, m, "c", "r2")
	if got := markOf(t, m, "c").RunID; got != "r2" {
		t.Errorf("mark names run %q", got)
	}
}

func TestReleaseRemovesByPolicy(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: without proof that nobody is inside nothing is removed")
	}
	cases := []struct {
		persist        string
		done, terminal bool
		gone           bool
	}{
		{Keep, true, true, false},
		{CleanupOnDone, false, true, false},
		{CleanupOnDone, true, true, true},
		{CleanupOnTerminal, false, false, false},
		{CleanupOnTerminal, false, true, true},
	}
	for _, tc := range cases {
		m := open(t, Options{Persist: tc.persist})
		dir := prepare(t, m, "c", "r")
		if err := m.Release(t.Context(), board.Issue{ID: "c"}, "r", tc.done, tc.terminal); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); os.IsNotExist(err) != tc.gone {
			t.Errorf("%+v: folder gone is %v", tc, !tc.gone)
		}
	}
}

func TestReleaseLeavesOccupiedAndForeignFoldersAlone(t *testing.T) {
	m := open(t, Options{Persist: CleanupOnTerminal})
	dir := prepare(t, m, "c", "r1")
	if err := m.Release(t.Context(), board.Issue{ID: "c"}, "other", true, true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("a run removed the folder of another: %v", err)
	}
	end := occupy(t, dir)
	if err := m.Release(t.Context(), board.Issue{ID: "c"}, "r1", true, true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("removed under a living process: %v", err)
	}
	end()
}

func TestRemovedFolderComesBackAsANewGeneration(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: without proof that nobody is inside nothing is removed")
	}
	m := open(t, Options{Persist: CleanupOnDone})
	prepare(t, m, "c", "r1")
	first := markOf(t, m, "c").Generation
	if err := m.Release(t.Context(), board.Issue{ID: "c"}, "r1", true, true); err != nil {
		t.Fatal(err)
	}
	prepare(t, m, "c", "r2")
	if markOf(t, m, "c").Generation == first {
		t.Error("the generation survived its folder")
	}
}

func TestOpenSweepsHalfRemovedFolders(t *testing.T) {
	root := t.TempDir()
	half := filepath.Join(root, removingPrefix+"c")
	if err := os.MkdirAll(filepath.Join(half, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	open(t, Options{Root: root})
	if _, err := os.Stat(half); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
}

func TestMarkIsPrivateJSON(t *testing.T) {
	m := open(t, Options{Owner: "o"})
	prepare(t, m, "c", "r")
	data, err := os.ReadFile(m.markPath("c"))
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(data, &keys); err != nil || keys["run_id"] != "r" || keys["owner"] != "o" {
		t.Errorf("%s: %v", data, err)
	}
	if info, _ := os.Stat(m.markPath("c")); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %o", info.Mode().Perm())
	}
}

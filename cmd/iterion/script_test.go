package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"iterion/cmd/iterion/internal/cli"
)

// TestMain lets the test binary be the program: scripts (and the supervisors
// that the program starts from its own executable) run it as `iterion`.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"iterion": func() {
			fault(strings.Join(os.Args[1:min(2, len(os.Args))], ""))
			os.Exit(program(os.Args[1:], cli.Hooks{Fault: func(point string) { fault("daemon." + point) }, Now: clockOf(os.Getenv("ITERION_TEST_NOW")), Lease: testLease()}))
		},
		"crontab": func() { os.Exit(fakeCrontab(os.Getenv("FAKE_CRONTAB"), os.Args[1:])) },
		"boardwriter": func() {
			fmt.Println(writeBoard(os.Args[1:]))
			os.Exit(1)
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupScript,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":      cmdExits,
			"id":         cmdID,
			"remember":   cmdRemember,
			"unchanged":  cmdUnchanged,
			"eventually": cmdEventually,
		},
	})
}

// raceExit spares the program, when it carries the race detector, the second
// that it would sleep at each exit.
const raceExit = "atexit_sleep_ms=0"

// setupScript gives each script a home and a user of its own.
func setupScript(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	e.Setenv("HOME", home)
	e.Setenv("USER", "alice")
	e.Setenv("TERM", "xterm")
	e.Setenv("TZ", "UTC")
	e.Setenv("GORACE", raceExit)
	e.Setenv("FAKE_CRONTAB", filepath.Join(e.WorkDir, "crontab"))
	for _, name := range []string{"ITERION_SCHEDULES_FILE", "ITERION_TEST_NOW", "ITERION_STORE_DIR", "ITERION_RUN_ID", "ITERION_BOT", "NO_COLOR", "VISUAL", "EDITOR"} {
		e.Setenv(name, "")
	}
	e.Setenv("GOCACHE", goCache())
	e.Values[fingerprints{}] = map[string]string{}
	return os.MkdirAll(home, 0o700)
}

// goCache is where the user's builds are kept: a bot in Go is not to build the
// whole standard library anew in the script's own home.
func goCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "go-build")
}

// cmdExits runs a program and wants that very exit code:
//
//	exits 2 iterion issue create
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG…]")
	}
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%v: exit code %d, want %d", args[1:], got, want)
	}
}

// cmdID runs a program and keeps the last word that it printed:
//
//	id CARD iterion issue create --title T
func cmdID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: id VARIABLE PROGRAM [ARG…]")
	}
	ts.Check(ts.Exec(args[1], args[2:]...))
	words := strings.Fields(ts.ReadFile("stdout"))
	if len(words) == 0 {
		ts.Fatalf("%v printed nothing", args[1:])
	}
	ts.Setenv(args[0], words[len(words)-1])
}

// cmdEventually runs a program until it succeeds and prints what the pattern
// wants; it gives up after a generous while:
//
//	eventually PATTERN PROGRAM [ARG…]
func cmdEventually(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: eventually TEXT PROGRAM [ARG…]")
	}
	deadline := time.Now().Add(60 * time.Second)
	for {
		err := ts.Exec(args[1], args[2:]...)
		if err == nil && strings.Contains(ts.ReadFile("stdout"), args[0]) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%v never printed %q", args[1:], args[0])
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// fingerprints is the key under which a script keeps what it remembers.
type fingerprints struct{}

// cmdRemember takes down what a folder holds; `unchanged` compares with that.
func cmdRemember(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: remember FOLDER")
	}
	ts.Value(fingerprints{}).(map[string]string)[args[0]] = fingerprint(ts, args[0])
}

// cmdUnchanged wants a folder to hold what it held when it was remembered.
func cmdUnchanged(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] unchanged FOLDER")
	}
	was, now := ts.Value(fingerprints{}).(map[string]string)[args[0]], fingerprint(ts, args[0])
	if (was == now) == neg {
		ts.Fatalf("%s held\n%s\nnow it holds\n%s", args[0], was, now)
	}
}

// fingerprint lists the files of a folder with a hash of each. Names with a dot
// are locks and notes that any reader may leave.
func fingerprint(ts *testscript.TestScript, dir string) string {
	var b strings.Builder
	root := ts.MkAbs(dir)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") && p != root {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(p)
		fmt.Fprintf(&b, "%s %x\n", p, sha256.Sum256(data))
		return err
	})
	ts.Check(err)
	return b.String()
}

package gate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"iterion/native/proctree"
)

// The test binary is also a process that is killed while its guard runs.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "decide" {
		runGuard(context.Background(), Request{Workdir: os.Args[2], Env: os.Environ()},
			Policy{Guard: "touch up; exec sleep 600", GuardTimeout: time.Hour})
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// trial decides one slot with a guard whose processes are marked, and wants none of
// them left.
func trial(t *testing.T, ctx context.Context, p Policy) (Record, *world) {
	t.Helper()
	r := request(t, p)
	return trialOf(t, ctx, r)
}

func trialOf(t *testing.T, ctx context.Context, r Request) (Record, *world) {
	t.Helper()
	mark := t.Name() + r.Workdir
	r.Env = append(r.Env, "PATH="+os.Getenv("PATH"), "GATE_TEST="+mark)
	w := &world{}
	rec := Decide(ctx, r, w.ports())
	left, err := proctree.Orphans(proctree.ByEnviron("GATE_TEST", mark), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("processes left: %+v", left)
	}
	return rec, w
}

func TestGuardOutputReachesTheLaunchWhole(t *testing.T) {
	const size = 5 << 20
	rec, w := trial(t, t.Context(), Policy{Guard: `seq 1 1000000 | head -c 5242880`, GuardVar: "facts"})
	got := w.vars["facts"]
	var want bytes.Buffer
	for i := 1; want.Len() < size; i++ {
		want.WriteString(itoa(i) + "\n")
	}
	want.Truncate(size)
	if rec.Decision != Fired || sha256.Sum256([]byte(got)) != sha256.Sum256(want.Bytes()) {
		t.Errorf("%s with %d bytes, want fired with the %d that were printed; %s", rec.Decision, len(got), size, rec.Error)
	}
	if rec.GuardExit == nil || *rec.GuardExit != 0 || rec.StdoutTail != want.String()[size-TailMax:] {
		t.Errorf("exit %v and a tail of %d bytes, want 0 and the last %d", rec.GuardExit, len(rec.StdoutTail), TailMax)
	}
}

func itoa(i int) string {
	var b [20]byte
	n := len(b)
	for ; i > 0; i /= 10 {
		n--
		b[n] = byte('0' + i%10)
	}
	return string(b[n:])
}

func TestFourGuardsFourRecords(t *testing.T) {
	const timeout = time.Second
	tests := []struct {
		name, guard string
		want        Decision
		exit        int // -1: none
		errs        string
	}{
		{"yes", "echo ready", Fired, 0, ""},
		{"no", "echo not yet >&2; exit 3", GuardBlocked, 3, ""},
		{"not found", "no-such-program-anywhere", GuardError, 127, "not found (exit 127)"},
		{"time-out with grandchildren that hold the pipe",
			"(trap '' TERM; sleep 600) & (setsid sleep 600 &) ; sleep 600", GuardError, -1, "longer than 1s"},
	}
	records := map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			began := time.Now()
			rec, _ := trial(t, t.Context(), Policy{Guard: tt.guard, GuardTimeout: timeout})
			if took := time.Since(began); took > timeout+3*time.Second {
				t.Errorf("took %s", took)
			}
			exit := -1
			if rec.GuardExit != nil {
				exit = *rec.GuardExit
			}
			if rec.Decision != tt.want || exit != tt.exit || !strings.Contains(rec.Error, tt.errs) {
				t.Errorf("%s with exit %d and %q, want %s with %d and %q", rec.Decision, exit, rec.Error, tt.want, tt.exit, tt.errs)
			}
			records[string(rec.Decision)+"|"+rec.Reason] = true
		})
	}
	if len(records) != len(tests) {
		t.Errorf("the records do not tell the guards apart: %v", records)
	}
}

func TestGuardIsGivenItsSurroundings(t *testing.T) {
	r := request(t, Policy{Guard: `printf '%s|%s|%s|%s|' "$ITERION_SCHEDULE" "$ITERION_SCHEDULE_BOT" "$PWD" "$MINE"; cat | wc -c`})
	r.Env = []string{"MINE=yes"}
	_, w := trialOf(t, t.Context(), r)
	if want := "nightly|audit|" + r.Workdir + "|yes|0"; w.vars["guard_output"] != want {
		t.Errorf("printed %q, want %q", w.vars["guard_output"], want)
	}
}

func TestGuardWithoutAWorkdir(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for workdir, part := range map[string]string{filepath.Join(dir, "gone"): "does not exist", file: "not a folder", "": "no working folder"} {
		r := request(t, Policy{Guard: "true"})
		r.Workdir = workdir
		if rec, _ := trialOf(t, t.Context(), r); rec.Decision != GuardError || !strings.Contains(rec.Error, part) {
			t.Errorf("in %q: %s with %q, want guard_error with %q", workdir, rec.Decision, rec.Error, part)
		}
	}
}

func TestWhatAGuardLeavesInTheBackgroundIsEnded(t *testing.T) {
	began := time.Now()
	rec, w := trial(t, t.Context(), Policy{Guard: "sleep 600 & setsid sleep 600 & echo yes", GuardTimeout: time.Minute})
	if rec.Decision != Fired || w.vars["guard_output"] != "yes" || time.Since(began) > 20*time.Second {
		t.Errorf("%s with %q after %s", rec.Decision, w.vars, time.Since(began))
	}
}

func TestInterruptedGuardSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	r := request(t, Policy{Guard: "touch here; sleep 600", GuardTimeout: time.Minute})
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(r.Workdir, "here")); err == nil {
				cancel(errors.New("the daemon stops"))
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	rec, w := trialOf(t, ctx, r)
	if rec.Decision != GuardError || !strings.Contains(rec.Error, "interrupted") || !strings.Contains(rec.Error, "the daemon stops") {
		t.Errorf("%s with %q", rec.Decision, rec.Error)
	}
	if len(w.steps) != 1 {
		t.Errorf("steps %v, want only a look", w.steps)
	}
}

func TestGuardThatASignalEndsIsNoAnswer(t *testing.T) {
	rec, _ := trial(t, t.Context(), Policy{Guard: "kill -KILL $$"})
	if rec.Decision != GuardError || rec.GuardExit != nil || !strings.Contains(rec.Error, "killed") {
		t.Errorf("%s with exit %v and %q", rec.Decision, rec.GuardExit, rec.Error)
	}
}

func TestGuardThatPrintsWithoutEndIsEnded(t *testing.T) {
	rec, _ := trial(t, t.Context(), Policy{Guard: "yes", GuardTimeout: time.Minute})
	if rec.Decision != GuardError || !strings.Contains(rec.Error, "more than 64 MiB") {
		t.Errorf("%s with %q", rec.Decision, rec.Error)
	}
	if len(rec.StdoutTail) != TailMax {
		t.Errorf("tail of %d bytes", len(rec.StdoutTail))
	}
}

func TestGuardErrorOutputKeepsItsEnd(t *testing.T) {
	rec, _ := trial(t, t.Context(), Policy{Guard: "seq 1 100000 >&2; exit 1"})
	if len(rec.StderrTail) != TailMax || !strings.HasSuffix(rec.StderrTail, "\n100000\n") {
		t.Errorf("tail of %d bytes that ends in %q", len(rec.StderrTail), rec.StderrTail[max(0, len(rec.StderrTail)-20):])
	}
}

func TestOutputOfOneLineComesWithoutItsNewline(t *testing.T) {
	for printed, want := range map[string]string{
		"": "", "5\n": "5", "5": "5", "\n": "", "a\nb\n": "a\nb\n", "a\nb": "a\nb", "a\n\n": "a\n\n", "a \r\n": "a \r",
	} {
		if got := (guardResult{stdout: []byte(printed)}).value(); got != want {
			t.Errorf("%q became %q, want %q", printed, got, want)
		}
	}
}

func TestTailsAreText(t *testing.T) {
	tests := map[string][]byte{
		"short":                  []byte("abc"),
		"cut inside a character": []byte(strings.Repeat("ä", TailMax)),
		"off by one":             append([]byte("x"), strings.Repeat("€", TailMax)...),
		"binary":                 bytes.Repeat([]byte{0xff, 0x00}, TailMax),
		"only continuation":      bytes.Repeat([]byte{0x80}, 2*TailMax),
	}
	for name, in := range tests {
		got := tailOf(in)
		if !utf8.ValidString(got) || len(got) > TailMax || len(got) == 0 {
			t.Errorf("%s: %d bytes, valid %v", name, len(got), utf8.ValidString(got))
		}
		if utf8.Valid(in) && !bytes.HasSuffix(in, []byte(got)) {
			t.Errorf("%s: the end is not kept", name)
		}
	}
}

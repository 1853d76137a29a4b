package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What `iterion version` may cost more than a Go program that does nothing. It
// is started from shells, hooks and bots all day long, so that nothing linked
// into it may do work before main.
const (
	costTime  = 5 * time.Millisecond
	costRSS   = 12 << 20
	costRuns  = 31 // interleaved starts of each program per try
	costTries = 8  // a busy machine gets that many chances

	// On a machine so busy that even the bare program takes slowBare, costTime says
	// nothing: everything takes a multiple of its time. A ratio still does, and on
	// an idle machine it is about as strict as costTime.
	slowBare  = 4 * time.Millisecond
	costRatio = 4
)

// mayTake is the longest start that is not over the bar.
func mayTake(bare time.Duration) time.Duration {
	if bare > slowBare {
		return max(bare+costTime, costRatio*bare)
	}
	return bare + costTime
}

func TestVersionCostsLittleMoreThanABareProgram(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("SKIPPED: no go command to build the programs with")
	}
	dir := t.TempDir()
	bare := buildBare(t, dir)
	ours := filepath.Join(dir, "iterion")
	goBuild(t, ".", ours, ".")

	var last string
	for range costTries {
		b, o := costs(t, bare, ours, "version")
		last = fmt.Sprintf("bare %v, %d KiB; iterion version %v, %d KiB", b.time, b.rss>>10, o.time, o.rss>>10)
		if o.time <= mayTake(b.time) && o.rss <= b.rss+costRSS {
			t.Log(last)
			return
		}
	}
	t.Errorf("%s: over bare + %v or + %d MiB in each of %d tries\npackages that work at init:\n%s",
		last, costTime, costRSS>>20, costTries, initTrace(ours))
}

// bareSource is the bare program. Given another program as its arguments it
// starts that one and prints what it took. It has to be such a small program
// that starts it: a process is billed for the memory of the one that forked it,
// and this test is a large one.
const bareSource = `package main

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) == 1 {
		os.Stdout.WriteString("bare\n")
		return
	}
	null, _ := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	began := time.Now()
	pid, err := syscall.ForkExec(os.Args[1], os.Args[1:], &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, null.Fd(), 2},
	})
	if err != nil {
		panic(err)
	}
	var status syscall.WaitStatus
	var usage syscall.Rusage
	if _, err := syscall.Wait4(pid, &status, 0, &usage); err != nil || status.ExitStatus() != 0 {
		os.Exit(1)
	}
	took := time.Since(began)
	os.Stdout.WriteString(strconv.FormatInt(int64(took), 10) + " " + strconv.FormatInt(int64(usage.Maxrss), 10))
}
`

func buildBare(t testing.TB, dir string) string {
	t.Helper()
	src := filepath.Join(dir, "bare")
	if err := os.Mkdir(src, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module bare\n\ngo 1.26\n", "main.go": bareSource} {
		if err := os.WriteFile(filepath.Join(src, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "bare.bin")
	goBuild(t, src, bin, ".")
	return bin
}

func goBuild(t testing.TB, dir, out, pkg string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", out, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, msg)
	}
}

// cost is what the quickest tenth of many starts took: whatever else the machine
// does can only add to it.
type cost struct {
	time time.Duration
	rss  int64
}

// costs starts the two programs in turn, so that a change of the machine's load
// meets both.
func costs(t testing.TB, bare string, ours ...string) (cost, cost) {
	t.Helper()
	samples := [2][]cost{}
	for range costRuns {
		for i, argv := range [][]string{{bare}, ours} {
			samples[i] = append(samples[i], start(t, bare, argv))
		}
	}
	return quick(samples[0]), quick(samples[1])
}

func start(t testing.TB, bare string, argv []string) cost {
	t.Helper()
	cmd := exec.Command(bare, argv...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("start %v: %v", argv, err)
	}
	var c cost
	if _, err := fmt.Sscan(string(out), &c.time, &c.rss); err != nil {
		t.Fatalf("start %v: %q: %v", argv, out, err)
	}
	if runtime.GOOS == "linux" {
		c.rss <<= 10 // Linux counts in KiB
	}
	return c
}

func quick(s []cost) cost {
	times, sizes := make([]time.Duration, len(s)), make([]int64, len(s))
	for i, c := range s {
		times[i], sizes[i] = c.time, c.rss
	}
	slices.Sort(times)
	slices.Sort(sizes)
	return cost{times[len(s)/10], sizes[len(s)/10]}
}

// TestNothingSearchesThePathAtInit: what a start costs must not grow with PATH,
// which is long on some machines and lies on a slow file system on others.
func TestNothingSearchesThePathAtInit(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("SKIPPED: no go command to build the program with")
	}
	bin := filepath.Join(t.TempDir(), "iterion")
	goBuild(t, ".", bin, ".")
	short, long := initAllocs(t, bin, "/nowhere"), initAllocs(t, bin, strings.Repeat("/nowhere:", 500))
	if len(short) < 10 {
		t.Fatalf("the trace names %d packages", len(short))
	}
	for pkg, n := range long {
		if n > short[pkg]+100 {
			t.Errorf("init of %s: %d allocations with a short PATH, %d with a long one", pkg, short[pkg], n)
		}
	}
}

// initAllocs counts the allocations of each package before main.
func initAllocs(t *testing.T, bin, path string) map[string]int {
	t.Helper()
	allocs := map[string]int{}
	for line := range strings.Lines(string(initTrace(bin, "PATH="+path))) {
		f := strings.Fields(line) // init PKG @T ms, T ms clock, N bytes, N allocs
		if len(f) != 11 || f[0] != "init" {
			continue
		}
		n, err := strconv.Atoi(f[9])
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		allocs[f[1]] = n
	}
	return allocs
}

// initTrace lists what every package did before main.
func initTrace(bin string, env ...string) []byte {
	cmd := exec.Command(bin, "version")
	cmd.Env = append(append(os.Environ(), "GODEBUG=inittrace=1"), env...)
	out, _ := cmd.CombinedOutput()
	return out
}

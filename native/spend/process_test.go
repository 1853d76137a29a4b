package spend

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test binary play a supervisor.
func TestMain(m *testing.M) {
	if root := os.Getenv("SPEND_STORE"); root != "" {
		if err := report(root, os.Getenv("SPEND_RUN"), os.Getenv("SPEND_REPORTS")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// report brings a cost that grows by a cent each time, and crosses midnight in
// the middle.
func report(root, runID, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	l := Open(root, Options{NoFsync: true})
	for i := range n {
		now := noon
		if i >= n/2 {
			now = noon.Add(24 * time.Hour)
		}
		if _, err := l.Record(context.Background(), runID, noon, float64(i+1)/100, now); err != nil {
			return err
		}
	}
	return nil
}

func TestEightProcessesReportAtOnce(t *testing.T) {
	const processes, reports = 8, 60
	st := newStore(t)
	var all sync.WaitGroup
	for i := range processes {
		c := exec.CommandContext(t.Context(), os.Args[0])
		c.Env = append(os.Environ(), "SPEND_STORE="+st.root, fmt.Sprintf("SPEND_RUN=run-%d", i), fmt.Sprintf("SPEND_REPORTS=%d", reports))
		all.Go(func() {
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	want := map[string]float64{}
	for i := range processes {
		want[fmt.Sprintf("run-%d", i)] = reports / 2 / 100.0
	}
	st.wantDay("2026-08-20", want, processes*reports/2/100.0)
	st.wantDay("2026-08-21", want, processes*reports/2/100.0)
}

// A process that is killed while it writes leaves whole days, and whoever brings
// the same cost again makes up for what it did not write.
func TestAKilledProcessCountsNothingTwice(t *testing.T) {
	const reports = 100_000
	st := newStore(t)
	for round := range 5 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "SPEND_STORE="+st.root, "SPEND_RUN=r", fmt.Sprintf("SPEND_REPORTS=%d", reports))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		st.awaitCost("r", float64(round+1)/10)
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	st.record("r", noon, 4321.09, noon.Add(24*time.Hour))
	days, err := st.l.Days("0000", "9999")
	if err != nil {
		t.Fatal(err)
	}
	var sum nanos
	for _, d := range days {
		sum += toNanos(d.Runs["r"])
	}
	if sum != toNanos(4321.09) {
		t.Errorf("the days hold %v, want 4321.09", sum.usd())
	}
}

func (s *store) awaitCost(id string, usd float64) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		d, err := s.l.read("2026-08-20")
		if err != nil {
			s.t.Fatal(err)
		}
		if d.Runs[id] >= usd {
			return
		}
	}
	s.t.Fatalf("run %s never came to %v", id, usd)
}
